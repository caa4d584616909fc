import { outputBlocks } from '../parsing/tool-output.js';
import { isPlainObject } from '../platform/json.js';
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
          const blocks = Array.isArray(output) ? outputBlocks(output.map(withBytes)) : undefined;
          if (blocks !== undefined) return blocks;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ToolFailure)) onFault(name, error);
          throw error;
        }
        onFault(name, new Error('run must give text, or a list of texts and files'));
        throw new ToolFailure(`${name} failed: it gave neither text nor a list of texts and files`);
      },
    }),
  };
}

/** A block whose data is bytes, in base64 as other blocks have it. */
function withBytes(block: unknown): unknown {
  if (!isPlainObject(block) || !(block['data'] instanceof Uint8Array)) return block;
  return { ...block, data: Buffer.from(block['data']).toString('base64') };
}
