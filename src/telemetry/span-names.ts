import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';
import type { StoredTrace } from '../storage/shapes/stored-turn.js';

/**
 * Names in spans: those of OpenTelemetry's conventions for generative AI and messaging, which are not stable
 * yet, and our own.
 */
export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.name',
  requestModel: 'gen_ai.request.model',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  requestStream: 'gen_ai.request.stream',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** Seconds. */
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  systemInstructions: 'gen_ai.system_instructions',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  messagingSystem: 'messaging.system',
  destination: 'messaging.destination.name',
  messagingOperation: 'messaging.operation.name',
  messagingOperationType: 'messaging.operation.type',
  messageId: 'messaging.message.id',
  httpRoute: 'http.route',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  turn: 'turnpike.turn.id',
  attempt: 'turnpike.attempt',
  /** An outcome of a turn; or `parked`, `left`: the turn goes on in its next attempt. */
  outcome: 'turnpike.outcome',
  reason: 'turnpike.reason',
  /** US dollars. */
  cost: 'turnpike.cost_usd',
  /** Whether content was cut to its limit. */
  contentCut: 'turnpike.content.cut',
} as const;

/** The name of the queue in spans. */
const QUEUE = 'turns';

/** The attributes of a span of the queue. */
export const queueAttributes = (operation: 'send' | 'process') => ({
  [attributes.messagingSystem]: 'turnpike',
  [attributes.destination]: QUEUE,
  [attributes.messagingOperation]: operation,
  [attributes.messagingOperationType]: operation,
});

/** Names of spans. What a caller can make up is in no name. */
export const spanNames = {
  send: `send ${QUEUE}`,
  process: `process ${QUEUE}`,
  agent: (agent: string) => `invoke_agent ${agent}`,
  chat: (model: string) => `chat ${model}`,
  tool: (tool: string) => `execute_tool ${tool}`,
  toolHook: 'ask tool_hook',
};

/** Longest `tracestate` that is kept: as much as the specification asks for. */
const MAX_STATE_CHARS = 512;

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Parses the headers `traceparent` and `tracestate`. Pure.
 *
 * @returns undefined for headers that are missing or not valid: their request begins a trace of its own.
 */
export function parseTrace(
  traceparent: string | undefined,
  tracestate?: string,
): StoredTrace | undefined {
  const [, version, traceId, spanId, flags, rest] = form.exec(traceparent?.trim() ?? '') ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined) return undefined;
  // Later versions may have more after the flags; `ff` is no version.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags ?? '', 16);
  if (!isSpanContextValid({ traceId, spanId, traceFlags })) return undefined;
  return toTrace({ traceId, spanId, traceFlags, ...stateOf(tracestate) });
}

/** The ids of a span as they are stored. */
export function toTrace({ traceId, spanId, traceFlags, traceState }: SpanContext): StoredTrace {
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize() ?? '';
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}

/** The span of another process. */
export function toSpanContext({ traceparent, tracestate }: StoredTrace): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16);
  return { traceId, spanId, traceFlags, isRemote: true, ...stateOf(tracestate) };
}

/** The id of a span's trace, for log lines. */
export function traceIdOf({ traceparent }: StoredTrace): string {
  return traceparent.slice(3, 35);
}

function stateOf(tracestate: string | undefined): Pick<SpanContext, 'traceState'> {
  if (tracestate === undefined || tracestate.length > MAX_STATE_CHARS) return {};
  return { traceState: createTraceState(tracestate) };
}
