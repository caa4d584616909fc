import type { ExtensionTool } from '../extend/extend.js';
import { ToolFailure } from '../tools/tool-failure.js';
import type { ToolDefinition } from '../tools/tool.js';

/** Called with errors of an extension's tool, apart from `ToolFailure`. */
export type OnToolFault = (tool: string, error: unknown) => void;

/** Wraps an extension's tool for the registry. Its errors are reported, and are the call's outcome. */
export function guardTool(tool: ExtensionTool, onFault: OnToolFault): ToolDefinition {
  const { name, description, inputSchema, effect = 'command', retry = 'never' } = tool;
  return {
    name,
    description,
    inputSchema,
    effect,
    retry,
    permissionArgument: tool.permissionArgument,
    open: ({ workdir }) => ({
      run: async (input, { callId, idempotencyKey, signal, progress }) => {
        try {
          const call = { callId, idempotencyKey, workdir, signal, progress };
          const output: unknown = await tool.run(input, call);
          if (typeof output === 'string') return output;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ToolFailure)) onFault(name, error);
          throw error;
        }
        onFault(name, new Error('run must give text'));
        throw new ToolFailure(`${name} failed: it gave no text`);
      },
    }),
  };
}
