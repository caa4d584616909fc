import { assertNever } from '../../../platform/assert-never.js';
import { retryAdvice } from '../../../platform/retry-advice.js';
import type { Usage } from '../../../storage/shapes/stored-step.js';
import { unsentText } from '../../framing/sent-text.js';
import type { DoneChunk, Of, OracleChunk } from './oracle-chunk.js';
import { toOracleSource } from './oracle-source.js';
import type { OracleState } from './oracle-state.js';

/** The last chunks of a turn: the deferred ones, then its one end. */
export function endChunks(state: OracleState, event: Of<'turn.ended'>): OracleChunk[] {
  const unsent = unsentText(state.text, event.text);
  return [
    ...(unsent === '' ? [] : [{ type: 'content' as const, content: unsent }]),
    ...state.sources.map(({ source }) => ({
      type: 'source' as const,
      source: toOracleSource(source),
    })),
    ...outcomeChunks(state, event),
  ];
}

function outcomeChunks(state: OracleState, event: Of<'turn.ended'>): OracleChunk[] {
  const done = doneChunk(state, event);
  switch (event.outcome) {
    case 'completed':
      return [done];
    case 'limited':
      return [withReason(state, done, terminationReasons[event.reason] ?? event.reason)];
    case 'interrupted': {
      const error = cancelled[event.reason] ?? 'Cancelled.';
      return [{ type: 'error', error }, withReason(state, done, 'cancelled')];
    }
    case 'failed':
      return [failed(state, event)];
    default:
      return assertNever(event.outcome);
  }
}

function doneChunk({ started, context }: OracleState, event: Of<'turn.ended'>): DoneChunk {
  return {
    type: 'done',
    answer: event.text,
    tokens_used: countTokens(event.usage),
    model_used: started?.model,
    context_id: started?.sessionId,
    context_tokens: context.tokens,
    max_context_tokens: started?.contextWindow,
    output: event.output,
  };
}

function withReason({ steps, started }: OracleState, done: DoneChunk, reason: string): DoneChunk {
  const metadata = {
    termination_reason: reason,
    turns_used: steps,
    max_turns: started?.maxTurns,
  };
  return { ...done, metadata };
}

function failed({ started, failure }: OracleState, event: Of<'turn.ended'>): OracleChunk {
  return {
    type: 'error',
    error: failure?.message ?? `The turn failed: ${event.reason}.`,
    // No `done` follows that could name the conversation to go on with.
    context_id: started?.sessionId,
    metadata: {
      termination_reason: event.reason,
      status: failure?.status,
      ...retryAdvice(failure ?? {}),
    },
  };
}

/** The server's end reasons that this wire names differently. */
const terminationReasons: Record<string, string | undefined> = { max_turns: 'max_iterations' };

const cancelled: Record<string, string | undefined> = {
  interrupt: 'Cancelled. The answer so far is kept.',
  superseded: 'Cancelled. The answer so far is kept.',
  disconnect: 'Cancelled: every reader had left. The answer so far is kept.',
  imported: 'Cancelled: its conversation was moved to this server. The answer so far is kept.',
  'session-deleted': 'Cancelled: its conversation was deleted.',
};

/** Input that came from the cache is not counted: it was counted when it was written. */
function countTokens({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}
