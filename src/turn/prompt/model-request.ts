import { compact } from '../../platform/compact.js';
import type { JsonObject } from '../../platform/json.js';
import { nativeSchema } from '../../provider/face.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { Model } from '../../provider/model.js';
import { planThinking } from '../../provider/thinking.js';
import type { RequestPrefix, SentPrefix } from '../../storage/shapes/sent-request.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { StoredRequest } from '../../storage/shapes/stored-turn.js';
import type { Attempt } from '../state/attempt.js';
import type {
  AttemptContext,
  ModelCalls,
  RequestFrame,
  ShownResult,
  TurnTranscript,
} from '../state/attempt-context.js';
import { buildMessages } from './build-messages.js';
import { searchOf, withOwnSearch } from './deferred-tools.js';
import type { PartKeys } from './message-list.js';
import { fullContext, shortenOutputs } from './transcripts.js';

type RequestSource = Pick<
  AttemptContext,
  'turn' | 'storedParts' | 'progress' | 'model' | 'conversation'
>;

/** The next model request of a run, with the largest reply it may have, and the prefix that thinking is bound to. Pure. */
export function buildRequest(run: RequestSource): {
  request: ModelRequest;
  sent: SentPrefix | null;
  keys: PartKeys;
} {
  const { frame } = run.model;
  const { earlierTurns, summary } = run.conversation;
  const { maxTokens = run.model.maxTokens } = run.turn.options.options;
  const turns = [...earlierTurns, currentTurn(run)];
  const { messages, sent, keys } = buildMessages(turns, { ...frame, summary });
  const most = Math.min(maxTokens, frame.model.maxOutput);
  const { outputSchema } = frame;
  const request = { ...requestOf(frame), ...compact({ outputSchema }), messages, maxTokens: most };
  return { request, sent, keys };
}

/** The turn that runs, as its attempt finds it: without its files. */
export function openedTurn({ turn, storedParts, progress }: Attempt): TurnTranscript {
  const { steps, results, notices, steered } = progress;
  const { id: turnId, status, endReason } = turn;
  const userParts = storedParts.filter((part) => part.type === 'text');
  const beside = { notices, steered, status, endReason };
  return { turnId, userParts, asked: storedParts, steps, results, ...beside };
}

/** The turn that runs, as it is sent. Pure. */
export function currentTurn(run: RequestSource): TurnTranscript {
  const { steps, notices, steered, elidedThrough } = run.progress;
  const { id: turnId, status, endReason } = run.turn;
  const { userParts, outputFiles } = run.conversation;
  const results = new Map<string, ShownResult>(run.progress.results);
  for (const [callId, shown] of outputFiles) {
    const result = results.get(callId);
    if (result !== undefined) results.set(callId, { ...result, shown });
  }
  const turn = {
    turnId,
    userParts,
    asked: run.storedParts,
    notices,
    steered,
    steps,
    results,
    status,
    endReason,
  };
  return shortenOutputs(turn, {
    model: run.model.frame.model,
    full: run.model.fullContext,
    elidedThrough,
  });
}

/**
 * The model calls of an attempt with these options: request frame, price and limits.
 *
 * @param hasTools whether the model may call any of the tools in the prefix.
 */
export function describeModel(
  { services, turn }: Attempt,
  options: ResolvedOptions,
  { prefix, hasTools }: { prefix: RequestPrefix; hasTools: boolean },
): ModelCalls {
  const { maxTokens, overloadRetries } = services.config;
  const model = services.models.describe(options.model);
  return {
    frame: {
      ...openFrame(model, { options, prefix, maxTokens }),
      ...toolTerms(hasTools, turn.request.responses),
    },
    price: model.price,
    maxTokens,
    fullContext: fullContext(services, options.model),
    overloadRetries,
    hasTools,
  };
}

/** What a wire says of tools: that none is to be called, or one at a time. */
function toolTerms(
  hasTools: boolean,
  responses: StoredRequest['responses'],
): { isToolless: boolean; isOneCall: boolean } {
  const { request = responses } = responses?.answers?.at(-1) ?? {};
  return {
    isToolless: !hasTools || request?.toolChoice === 'none',
    isOneCall: request?.parallelToolCalls === false,
  };
}

export interface FrameSource {
  options: ResolvedOptions;
  prefix: Pick<
    RequestPrefix,
    'system' | 'tools' | 'serverTools' | 'thinkingAfter' | 'leftOut' | 'waits'
  >;
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
    ...compact({
      outputSchema: outputSchemaOf(model, { options, prefix }),
      cacheFor: prefix.waits && ('1h' as const),
    }),
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

/** A request without its messages. */
export function requestOf(frame: RequestFrame): Omit<ModelRequest, 'messages' | 'maxTokens'> {
  const { modelName, system, serverTools = [], thinking, citations, cacheFor } = frame;
  const { isToolless, isOneCall = false } = frame;
  const toolSearch = searchOf(frame);
  const tools = toolSearch === 'own' ? withOwnSearch(frame.tools) : [...frame.tools];
  const hasTools = tools.length + serverTools.length > 0;
  return {
    model: modelName,
    system,
    tools,
    ...compact({ toolSearch, cacheFor }),
    ...(serverTools.length === 0 ? {} : { serverTools }),
    thinking,
    citations,
    ...(isToolless && hasTools ? { toolChoice: 'none' as const } : {}),
    ...(isOneCall && !isToolless && hasTools ? { toolChoice: 'one' as const } : {}),
  };
}
