import { assertNever } from '../../../platform/assert-never.js';
import { retryAdvice } from '../../../platform/retry-advice.js';
import type { Usage } from '../../../storage/shapes/stored-step.js';
import { unsentText } from '../../framing/sent-text.js';
import { abandonCalls } from './holodeck-calls.js';
import type {
  AgentAnswerEnd,
  AgentFrame,
  AgentAnswerIds,
  Of,
  TokensUsed,
} from './holodeck-event.js';
import { toProblem, type Problem } from './problem.js';
import { toAgentSource } from './holodeck-source.js';
import type { AgentState } from './holodeck-state.js';

/**
 * Status of a client's request that was closed before its answer; no standard has a number for it.
 */
const CLOSED_REQUEST = 499;

/** The last events of a turn: the deferred ones, then its one end. */
export function endEvents(
  { messageId }: AgentAnswerIds,
  state: AgentState,
  event: Of<'turn.ended'>,
): AgentFrame[] {
  const unsent = unsentText(state.text, event.text);
  const delta: AgentFrame = {
    event: 'message_delta',
    data: { delta: unsent, message_id: messageId },
  };
  return [
    ...abandonCalls(state.calls),
    ...(unsent === '' ? [] : [delta]),
    lastEvent(messageId, state, event),
  ];
}

function lastEvent(messageId: string, state: AgentState, event: Of<'turn.ended'>): AgentFrame {
  switch (event.outcome) {
    case 'completed':
    case 'limited':
      return { event: 'stream_end', data: { message_id: messageId, ...describeEnd(state, event) } };
    case 'interrupted': {
      const detail = interruptions[event.reason] ?? 'The turn was interrupted.';
      return { event: 'error', data: toProblem('INTERRUPTED', { status: CLOSED_REQUEST, detail }) };
    }
    case 'failed':
      return { event: 'error', data: describeFailure(state.failure) };
    default:
      return assertNever(event.outcome);
  }
}

function describeEnd(state: AgentState, event: Of<'turn.ended'>): AgentAnswerEnd {
  const { sources, notices } = state;
  return {
    tokens_used: countTokens(event.usage),
    execution_time_ms: event.durationMs,
    content: event.text,
    ...(event.output === undefined ? {} : { output: event.output }),
    ...(sources.length === 0
      ? {}
      : { sources: sources.map(({ source }) => toAgentSource(source)) }),
    ...(event.outcome === 'limited'
      ? { limit: { reason: event.reason, message: explainLimit(state, event.reason) } }
      : {}),
    ...(notices.length === 0 ? {} : { notices }),
  };
}

/** Kinds of the notices that give the reason why a turn ended. */
const endingKinds = new Set(['limit-reached', 'no-progress', 'error-limit', 'refusal']);

const limits: Record<string, string | undefined> = {
  max_tokens: 'The reply was cut off: it reached the most tokens a reply may have.',
  context_window: 'The reply was cut off: the conversation fills the window of the model.',
  refusal: 'The model declined to go on.',
};

function explainLimit({ notices }: AgentState, reason: string): string {
  const notice = notices.findLast(({ kind }) => endingKinds.has(kind));
  return notice?.text ?? limits[reason] ?? `The turn ended at a limit: ${reason}.`;
}

const interruptions: Record<string, string | undefined> = {
  interrupt: 'The turn was interrupted. The answer so far is kept.',
  disconnect: 'The turn was interrupted: every reader had left. The answer so far is kept.',
  imported:
    'The turn was interrupted: its session was moved to this server. The answer so far is kept.',
  'session-deleted': 'The turn was interrupted: its session was deleted.',
};

/** A status below 500 that the provider gave is about our request to it, not about the client's. */
function describeFailure(failure: Of<'turn.failed'> | undefined): Problem {
  if (failure === undefined) {
    const detail = 'The turn failed, and nothing is known of why.';
    return toProblem('SDK_FAILURE', { status: 500, detail });
  }
  const { errorType, status, message } = failure;
  const shown = errorType === 'SDK_FAILURE' && status < 500 ? 502 : status;
  return toProblem(errorType, { status: shown, detail: message, ...retryAdvice(failure) });
}

function countTokens(usage: Usage): TokensUsed | null {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const total = prompt + usage.outputTokens;
  if (total === 0) return null;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: total,
  };
}
