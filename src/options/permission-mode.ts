import {
  type OptionProblem,
  permissionModes,
  type PermissionMode,
  type PermissionRules,
} from '../storage/shapes/stored-options.js';
import type { RuleTool } from '../governance/permission-subject.js';
import { validatePermissionRules } from '../governance/permissions/permission-rules.js';
import { loadFile } from '../platform/parsing/load-file.js';
import { parseYaml } from '../platform/parsing/parse-text.js';
import type { ResolvedValue, ModeBounds } from './option-rule.js';

/** The permission mode of a text, in any letter case; undefined: none. */
export function parseMode(text: string): PermissionMode | undefined {
  const wanted = text.trim().toLowerCase();
  return permissionModes.find((mode) => mode.toLowerCase() === wanted);
}

/** The stricter of two modes. */
export function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return permissionModes.indexOf(one) < permissionModes.indexOf(other) ? one : other;
}

/**
 * Bounds a turn's mode, with a problem for each change. An unknown mode becomes the strictest: its
 * author may have meant just that. Pure.
 */
export function boundMode(
  { value, from }: ResolvedValue<string>,
  { ceiling, mayApprove, inherited }: ModeBounds,
): { mode: PermissionMode; problems: OptionProblem[] } {
  const named = parseMode(value);
  const bounded = (using: PermissionMode, reason: string): OptionProblem[] => [
    { kind: 'held-mode', key: 'mode', given: value, using, from, reason },
  ];
  if (named === undefined) {
    const reason = `is no mode; there is ${[...permissionModes].reverse().join(', ')}`;
    return { mode: 'plan', problems: bounded('plan', reason) };
  }
  const isLoosened = named === 'acceptEdits' && parseMode(inherited) !== 'acceptEdits';
  if (from === 'opts' && isLoosened && !mayApprove) {
    const mode = stricterMode('direct', ceiling);
    return { mode, problems: bounded(mode, 'needs a key with the scope approvals') };
  }
  const mode = stricterMode(named, ceiling);
  if (mode === named) return { mode, problems: [] };
  return { mode, problems: bounded(mode, 'is more than this server lets any session have') };
}

/**
 * Loads the server's policy for tools: a file of YAML or JSON with `allow`, `ask` and `deny`.
 *
 * @param file undefined: no rules.
 * @throws FileInvalidError that lists every fault with its line.
 */
export async function loadPermissions(
  file: string | undefined,
  tools: readonly RuleTool[],
): Promise<PermissionRules> {
  if (file === undefined) return {};
  return loadFile(file, {
    variable: 'TURNPIKE_PERMISSIONS_FILE',
    parseText: parseYaml,
    check: (value) => validatePermissionRules(value ?? {}, tools),
  });
}
