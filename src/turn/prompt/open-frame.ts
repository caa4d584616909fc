import { compact } from '../../platform/compact.js';
import type { JsonObject } from '../../platform/json.js';
import { nativeSchema } from '../../provider/anthropic/native-schema.js';
import type { Model } from '../../provider/model.js';
import { planThinking } from '../../provider/thinking.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { RequestFrame } from './request-frame.js';

export interface FrameSource {
  options: ResolvedOptions;
  prefix: Pick<RequestPrefix, 'system' | 'tools' | 'serverTools' | 'thinkingAfter' | 'leftOut'>;
  /** Tokens of a reply at most, where the options have no limit. */
  maxTokens: number;
}

/** The request frame of turns with these options, in a session with this prefix. Pure. */
export function openFrame(model: Model, { options, prefix, maxTokens }: FrameSource): RequestFrame {
  const most = Math.min(options.maxTokens ?? maxTokens, model.maxOutput);
  return {
    modelName: options.model,
    model,
    system: prefix.system,
    tools: prefix.tools,
    serverTools: prefix.serverTools ?? [],
    isToolless: false,
    thinking: planThinking(model, options.thinking, most),
    citations: options.citations,
    thinkingAfter: prefix.thinkingAfter,
    leftOut: prefix.leftOut ?? [],
    ...compact({ outputSchema: outputSchemaOf(model, { options, prefix }) }),
  };
}

/** Native where the model has it: not beside citations, which pages from the provider's tools have too. */
function outputSchemaOf(
  { structuredOutputs }: Model,
  { options: { output, citations }, prefix }: Pick<FrameSource, 'options' | 'prefix'>,
): JsonObject | undefined {
  if (output === undefined || !structuredOutputs || citations) return undefined;
  const cites = prefix.serverTools?.some(({ name }) => name !== 'code_execution') ?? false;
  return cites ? undefined : nativeSchema(output.schema);
}
