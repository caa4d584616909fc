import type {
  BetaRunnableTool,
  BetaToolRunContext,
} from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { JsonObject } from '../platform/json.js';
import { ToolFailure } from './tool-failure.js';
import type { ToolEffect } from '../governance/permission-subject.js';
import type { RetryClass, ToolCall, ToolContext, ToolDefinition } from './tool.js';

/** Traits that the SDK's tools do not declare. */
export interface RunnableTraits {
  effect: ToolEffect;
  retry: RetryClass;
  permissionArgument?: ToolDefinition['permissionArgument'];
}

type RunnableResult = Awaited<ReturnType<BetaRunnableTool['run']>>;
type ResultBlock = Exclude<RunnableResult, string>[number];

/**
 * Adapts a tool of the SDK, made anew for each turn and closed at its end. `make` is also called once
 * here, for the description, so it must start nothing before its tool runs.
 *
 * @throws Error for a tool without an input schema (the provider's own typed tools).
 */
export function fromRunnable(
  make: (context: ToolContext) => BetaRunnableTool,
  traits: RunnableTraits,
): ToolDefinition {
  return {
    ...describe(make({ workdir: '.' })),
    ...traits,
    open: (context) => {
      const runnable = make(context);
      return {
        run: (input, call) => runOnce(runnable, input, call),
        close: () => runnable.close?.(),
      };
    },
  };
}

function describe(
  runnable: BetaRunnableTool,
): Pick<ToolDefinition, 'name' | 'description' | 'inputSchema'> {
  if (!('input_schema' in runnable)) {
    throw new Error(
      `Tool ${runnable.name} has no input_schema: only tools with one can be run here`,
    );
  }
  return {
    name: runnable.name,
    description: runnable.description ?? '',
    // The SDK types a schema as open-ended; every schema is JSON, since it is sent as JSON.
    inputSchema: structuredClone(runnable.input_schema) as JsonObject,
  };
}

async function runOnce(
  runnable: BetaRunnableTool,
  input: JsonObject,
  call: ToolCall,
): Promise<string> {
  const toolUse: BetaToolRunContext['toolUse'] = {
    type: 'tool_use',
    id: call.callId,
    name: runnable.name,
    input,
  };
  const context = { toolUse, toolUseBlock: toolUse, signal: call.signal };
  try {
    const args: unknown = runnable.parse(input);
    return toText(await runnable.run(args, context));
  } catch (error) {
    // Several of the SDK's tools turn an abort into an error for the model.
    call.signal.throwIfAborted();
    if (error instanceof ToolError) throw new ToolFailure(toText(error.content), { cause: error });
    throw error;
  }
}

function toText(result: RunnableResult): string {
  return typeof result === 'string' ? result : result.map(blockToText).join('\n');
}

function blockToText(block: ResultBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type !== 'image') return `[${block.type}]`;
  return block.source.type === 'base64' ? `[image: ${block.source.media_type}]` : '[image]';
}
