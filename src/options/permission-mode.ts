import type { OptionProblem } from '../storage/shapes/stored-options.js';
import type { Chosen } from './choose-value.js';
import { permissionModes, type PermissionMode } from '../storage/shapes/stored-permissions.js';

/** How much a turn may loosen. */
export interface ModeBounds {
  /** The operator's; no turn has more. */
  ceiling: PermissionMode;
  /** Whether whoever sent the turn may approve its calls: it may also say that nobody is asked. */
  mayApprove: boolean;
  /** What the turn has without its own word. */
  inherited: string;
}

/** The mode that a text names, in any letters; undefined: none. */
export function readMode(text: string): PermissionMode | undefined {
  const wanted = text.trim().toLowerCase();
  return permissionModes.find((mode) => mode.toLowerCase() === wanted);
}

/** The stricter of two. */
export function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return permissionModes.indexOf(one) < permissionModes.indexOf(other) ? one : other;
}

/**
 * The mode that a turn runs in, with what was not taken of the one it would have. A text that names none
 * means the strictest: whoever wrote it may have meant just that. Pure.
 */
export function boundMode(
  { value, from }: Chosen<string>,
  { ceiling, mayApprove, inherited }: ModeBounds,
): { mode: PermissionMode; problems: OptionProblem[] } {
  const named = readMode(value);
  const held = (using: PermissionMode, reason: string): OptionProblem[] => [
    { kind: 'held-mode', key: 'mode', given: value, using, from, reason },
  ];
  if (named === undefined) {
    const reason = `is no mode; there is ${[...permissionModes].reverse().join(', ')}`;
    return { mode: 'plan', problems: held('plan', reason) };
  }
  const isLoosened = named === 'acceptEdits' && readMode(inherited) !== 'acceptEdits';
  if (from === 'opts' && isLoosened && !mayApprove) {
    const mode = stricterMode('direct', ceiling);
    return { mode, problems: held(mode, 'needs a key with the scope approvals') };
  }
  const mode = stricterMode(named, ceiling);
  if (mode === named) return { mode, problems: [] };
  return { mode, problems: held(mode, 'is more than this server lets any session have') };
}
