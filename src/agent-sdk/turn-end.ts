import type { HarnessEvent, HarnessFrames } from '../client/turnpike-client.js';
import type { TurnFold } from './fold-turn.js';
import { uuidOf, uuidOfSession } from './message-ids.js';
import { toApiUsage } from './open-reply.js';
import type {
  ModelUsage,
  ResultSubtype,
  SDKResultMessage,
  TerminalReason,
} from './sdk-messages.js';

type Usage = HarnessFrames['turn:end']['usage'];

/** What all turns of a query have used so far. */
export interface QueryUsage {
  costUsd: number;
  models: Record<string, ModelUsage>;
}

/** Facts of a turn's end, as its events tell them. */
export interface TurnEnd {
  frameId: string;
  end: HarnessFrames['turn:end'];
  error?: HarnessFrames['turn:error'];
  output?: HarnessFrames['output:final']['output'];
  /** The stop reason of the last reply. */
  stopReason?: string;
  /** Tokens of its own replies. */
  own: Usage;
}

const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

/** Collects the end of a turn from its events. */
export class EndFold {
  #facts: Omit<TurnEnd, 'frameId' | 'end'> = { own: noUsage };

  /** @returns the end, with the event that tells it. */
  take(event: HarnessEvent): TurnEnd | undefined {
    if (event.event === 'turn:end') return { ...this.#facts, frameId: event.id, end: event.data };
    if (event.event === 'step:end') {
      const { stopReason, usage } = event.data;
      this.#facts = { ...this.#facts, stopReason, own: sum(this.#facts.own, usage) };
    }
    if (event.event === 'turn:error') this.#facts = { ...this.#facts, error: event.data };
    if (event.event === 'output:final') this.#facts = { ...this.#facts, output: event.data.output };
    return undefined;
  }
}

/** The message that ends a turn; adds what the turn used to the query's. */
export function toResult(
  { frameId, end, error, output, stopReason, own }: TurnEnd,
  { fold, sessionId, total }: { fold: TurnFold; sessionId: string; total: QueryUsage },
): SDKResultMessage {
  addUsage(total, fold.model, end.usage);
  const isStopped = fold.isStoppedByHook && end.outcome === 'interrupted';
  const subtype = isStopped ? 'success' : subtypeOf(end, error);
  // A model that refuses the request ends the turn with its words.
  const isRefused = subtype === 'success' && error !== undefined;
  return {
    type: 'result',
    subtype,
    is_error: isRefused || subtype !== 'success',
    duration_ms: end.durationMs,
    duration_api_ms: end.durationMs,
    num_turns: 1 + fold.results,
    ...(subtype === 'success'
      ? { result: isStopped ? '' : (error?.message ?? textOf(output, fold)) }
      : { errors: [describe(end, error)] }),
    stop_reason: stopReason ?? null,
    total_cost_usd: total.costUsd,
    usage: toApiUsage(own),
    modelUsage: structuredClone(total.models),
    permission_denials: fold.denials,
    terminal_reason: isStopped ? 'hook_stopped' : terminalReason(end, error, fold.isInTools),
    ...(output === undefined ? {} : { structured_output: output }),
    session_id: uuidOfSession(sessionId),
    uuid: uuidOf(frameId),
  };
}

/** The last reply's text; of an object that was asked for, its JSON. */
function textOf(output: TurnEnd['output'], fold: TurnFold): string {
  return output === undefined ? fold.text : JSON.stringify(output);
}

/** The result of a message for which no turn was begun. @param number of the message, from 1. */
export function withoutTurn(
  told: Pick<SDKResultMessage, 'subtype' | 'is_error' | 'errors' | 'result' | 'terminal_reason'>,
  { sessionId, total, number }: { sessionId: string; total: QueryUsage; number: number },
): SDKResultMessage {
  return {
    type: 'result',
    ...told,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: total.costUsd,
    usage: toApiUsage(noUsage),
    modelUsage: structuredClone(total.models),
    permission_denials: [],
    session_id: uuidOfSession(sessionId),
    uuid: uuidOf(`${sessionId}/${told.subtype}/${number}`),
  };
}

/** The kind of an end. What the model refused, cut or declined is told as its result. Pure. */
function subtypeOf(
  { outcome, reason }: HarnessFrames['turn:end'],
  error: HarnessFrames['turn:error'] | undefined,
): ResultSubtype {
  if (outcome === 'completed') return 'success';
  if (error?.errorType === 'OUTPUT_INVALID') return 'error_max_structured_output_retries';
  if (outcome === 'failed') return 'success';
  if (outcome !== 'limited') return 'error_during_execution';
  switch (reason) {
    case 'max_turns':
      return 'error_max_turns';
    case 'cost_budget':
      return 'error_max_budget_usd';
    case 'max_tokens':
    case 'refusal':
      return 'success';
    default:
      return 'error_during_execution';
  }
}

function terminalReason(
  { outcome, reason }: HarnessFrames['turn:end'],
  error: HarnessFrames['turn:error'] | undefined,
  isInTools: boolean,
): TerminalReason {
  if (outcome === 'completed') return 'completed';
  if (outcome === 'interrupted') return isInTools ? 'aborted_tools' : 'aborted_streaming';
  if (error?.errorType === 'OUTPUT_INVALID') return 'structured_output_retry_exhausted';
  if (outcome === 'failed') return 'api_error';
  if (reason === 'max_tokens' || reason === 'refusal') return 'completed';
  return reason === 'max_turns' ? 'max_turns' : 'limit';
}

function describe(
  { outcome, reason }: HarnessFrames['turn:end'],
  error: HarnessFrames['turn:error'] | undefined,
): string {
  if (error !== undefined) return error.message;
  return outcome === 'limited'
    ? `The turn met its limit ${reason}`
    : `The turn was ended: ${reason}`;
}

function addUsage(total: QueryUsage, model: string, usage: Usage): void {
  const before = total.models[model];
  const cost = usage.costUsd ?? 0;
  total.costUsd += cost;
  total.models[model] = {
    inputTokens: (before?.inputTokens ?? 0) + usage.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + usage.outputTokens,
    cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + usage.cacheReadTokens,
    cacheCreationInputTokens: (before?.cacheCreationInputTokens ?? 0) + usage.cacheWriteTokens,
    webSearchRequests: (before?.webSearchRequests ?? 0) + (usage.webSearches ?? 0),
    costUSD: (before?.costUSD ?? 0) + cost,
  };
}

function sum(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  };
}
