import type { PermissionMode } from '../../storage/shapes/stored-permissions.js';
import { canonicalJson } from '../../platform/json.js';
import type { ToolSpec, ServerTool } from '../../storage/shapes/stored-tools.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';

/** The prefix that a turn asks for. */
export interface WantedPrefix {
  /** The system prompt, with a permission mode in it. */
  systemIn(mode: PermissionMode): string;
  mode: PermissionMode;
  /** Tools that the turn can call. */
  tools: readonly ToolSpec[];
  /** Tools that the provider runs. Absent: none. */
  serverTools?: readonly ServerTool[];
}

export interface ChosenPrefix {
  prefix: RequestPrefix;
  /** Whether the prefix differs from the one that the session has stored. */
  isChanged: boolean;
  /**
   * The notice for the model in place of a change of the prefix; undefined where nothing changed.
   */
  notice: string | undefined;
  /** Whether any tool is on: a turn without one must not offer those that are off. */
  hasTools: boolean;
}

/**
 * Chooses the prefix of a turn's requests. A session's prefix stays as it was sent for as long as
 * it can: the provider's cache, and thinking that is bound to the prefix, are lost with the first
 * byte that changes. So a tool that is off for a turn stays listed, and another permission mode
 * becomes a notice. An edited prompt, another persona or a tool that was not listed begin a new
 * prefix, and so does a change among the provider's own tools: a listed one runs, whatever a notice
 * says. Pure.
 */
export function choosePrefix(
  stored: RequestPrefix | null,
  { systemIn, mode, tools, serverTools = [] }: WantedPrefix,
): ChosenPrefix {
  const hasTools = tools.length + serverTools.length > 0;
  const isKept =
    stored !== null &&
    systemIn(stored.mode) === stored.system &&
    canonicalJson(stored.serverTools ?? []) === canonicalJson(serverTools) &&
    tools.every((tool) => stored.tools.some((listed) => isSame(listed, tool)));
  if (!isKept) {
    const prefix = {
      system: systemIn(mode),
      tools: [...tools],
      ...(serverTools.length === 0 ? {} : { serverTools }),
      mode,
      told: { mode, off: [] },
    };
    return { prefix, isChanged: true, notice: undefined, hasTools };
  }
  const wanted = new Set(tools.map(({ name }) => name));
  const off = stored.tools.map(({ name }) => name).filter((name) => !wanted.has(name));
  const known = { mode, off };
  if (canonicalJson(known) === canonicalJson(stored.told)) {
    return { prefix: stored, isChanged: false, notice: undefined, hasTools };
  }
  const lines = [
    ...(mode === stored.told.mode ? [] : [`The permission mode is ${mode} from here on.`]),
    ...(off.join() === stored.told.off.join() ? [] : [describeOff(off)]),
  ];
  return { prefix: { ...stored, told: known }, isChanged: true, notice: lines.join(' '), hasTools };
}

function describeOff(off: readonly string[]): string {
  if (off.length === 0) return 'Every tool is on from here on.';
  return `These tools are off from here on, and calls to them are not run: ${off.join(', ')}.`;
}

function isSame(a: ToolSpec, b: ToolSpec): boolean {
  return a.name === b.name && canonicalJson({ ...a }) === canonicalJson({ ...b });
}
