import type { InputCheck } from '../platform/check-input.js';
import type { RegisteredTool } from './registry.js';
import type { ToolEffect } from '../governance/permission-subject.js';
import type { OpenTool, RetryClass, ToolContext, ToolDefinition } from './tool.js';

/** A tool that a turn can call. */
export interface CallableTool {
  name: string;
  effect: ToolEffect;
  retry: RetryClass;
  permissionArgument?: ToolDefinition['permissionArgument'];
  deniedWith?: ToolDefinition['deniedWith'];
  timeLimit?: ToolDefinition['timeLimit'];
  inOrder?: ToolDefinition['inOrder'];
  checkInput: InputCheck;
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

/** Opens each tool at its first call, so that a failure to open is that call's outcome. */
export function openTools(tools: readonly RegisteredTool[], context: ToolContext): TurnTools {
  const opened = new Map<string, OpenTool>();
  const callables = new Map(
    tools.map((registered): [string, CallableTool] => {
      const { name, effect, retry, checkInput, permissionArgument } = registered;
      const { deniedWith, timeLimit, inOrder } = registered;
      const run: OpenTool['run'] = async (input, call) => {
        const tool = opened.get(name) ?? registered.open(context);
        opened.set(name, tool);
        return tool.run(input, call);
      };
      const traits = { effect, retry, permissionArgument, deniedWith, timeLimit, inOrder };
      return [name, { name, ...traits, checkInput, run }];
    }),
  );
  return {
    get: (name) => callables.get(name),
    close: async () => {
      const closing = [...opened.values()].map(async (tool) => tool.close?.());
      opened.clear();
      const settled = await Promise.allSettled(closing);
      const failures = settled.flatMap((one): unknown[] =>
        one.status === 'rejected' ? [one.reason] : [],
      );
      if (failures.length > 0) throw new AggregateError(failures, 'Tools failed to close');
    },
  };
}
