import type { PermissionMode } from '../../storage/shapes/stored-permissions.js';
import { canonicalJson } from '../../platform/json.js';
import type { ToolSpec, ServerTool } from '../../storage/shapes/stored-tools.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';

/** What a turn wants its requests to begin with. */
export interface WantedPrefix {
  /** The system prompt, with a permission mode in it. */
  systemIn(mode: PermissionMode): string;
  mode: PermissionMode;
  /** What the turn can call. */
  tools: readonly ToolSpec[];
  /** What the provider runs of its own. Absent: nothing. */
  serverTools?: readonly ServerTool[];
}

export interface ChosenPrefix {
  prefix: RequestPrefix;
  /** Whether it is not what the session has stored. */
  isChanged: boolean;
  /** What the model is told instead of a change of what was sent; undefined where nothing changed. */
  notice: string | undefined;
  /** Whether any tool is on: a model without one must not be offered those that are off. */
  hasTools: boolean;
}

/**
 * What the requests of a turn begin with. What a session has sent stays as it was for as long as it
 * can: a provider's cache, and thinking that is bound to what was sent before it, are lost with the
 * first byte that changes. So a tool that is off for a turn stays listed, and another permission mode
 * is told. A prompt that was edited, another persona or a tool that was not listed begin anew, and so
 * does a change among the provider's own tools: one that is listed runs, whatever is told. Pure.
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
    const told = { mode, off: [] };
    const prefix = {
      system: systemIn(mode),
      tools: [...tools],
      ...(serverTools.length === 0 ? {} : { serverTools }),
      mode,
      told,
    };
    return { prefix, isChanged: true, notice: undefined, hasTools };
  }
  const wanted = new Set(tools.map(({ name }) => name));
  const off = stored.tools.map(({ name }) => name).filter((name) => !wanted.has(name));
  const told = { mode, off };
  if (canonicalJson(told) === canonicalJson(stored.told)) {
    return { prefix: stored, isChanged: false, notice: undefined, hasTools };
  }
  const lines = [
    ...(mode === stored.told.mode ? [] : [`The permission mode is ${mode} from here on.`]),
    ...(off.join() === stored.told.off.join() ? [] : [describeOff(off)]),
  ];
  return { prefix: { ...stored, told }, isChanged: true, notice: lines.join(' '), hasTools };
}

function describeOff(off: readonly string[]): string {
  if (off.length === 0) return 'Every tool is on from here on.';
  return `These tools are off from here on, and calls to them are not run: ${off.join(', ')}.`;
}

function isSame(a: ToolSpec, b: ToolSpec): boolean {
  return a.name === b.name && canonicalJson({ ...a }) === canonicalJson({ ...b });
}
