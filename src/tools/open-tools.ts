import type { RegisteredTool } from './registry.js';
import type { OpenTool, ToolContext } from './tool.js';
import { plainNumbers } from '../platform/exact-json.js';

/** A tool that a turn can call. */
export interface CallableTool extends Omit<
  RegisteredTool,
  'description' | 'inputSchema' | 'definedAs' | 'source' | 'takesExact' | 'open'
> {
  run: OpenTool['run'];
}

/** The tools of one turn. The caller of `openTools` closes them when the turn ends, however it ends. */
export interface TurnTools {
  get(name: string): CallableTool | undefined;
  /**
   * Closes every tool that was used, also when some fail to close.
   * @throws AggregateError of their errors.
   */
  close(): Promise<void>;
}

/**
 * Opens each tool at its first call, so that a failure to open is that call's outcome.
 *
 * @param openContext called for the first of them: most turns call none.
 */
export function openTools(
  tools: readonly RegisteredTool[],
  openContext: () => ToolContext,
): TurnTools {
  let used: { context: ToolContext; opened: Map<string, OpenTool> } | undefined;
  return {
    get: (name) => {
      const registered = tools.find((tool) => tool.name === name);
      if (registered === undefined) return undefined;
      const run: OpenTool['run'] = async (input, call) => {
        used ??= { context: openContext(), opened: new Map() };
        const tool = used.opened.get(name) ?? registered.open(used.context);
        used.opened.set(name, tool);
        return tool.run(registered.takesExact === true ? input : plainNumbers(input), call);
      };
      return { ...registered, run };
    },
    close: async () => {
      const closing = [...(used?.opened.values() ?? [])].map(async (tool) => tool.close?.());
      used = undefined;
      const settled = await Promise.allSettled(closing);
      const failures = settled.flatMap((one): unknown[] =>
        one.status === 'rejected' ? [one.reason] : [],
      );
      if (failures.length > 0) throw new AggregateError(failures, 'Tools failed to close');
    },
  };
}
