import { assertNever } from '../../../platform/assert-never.js';
import { retryAdvice } from '../../../platform/retry-advice.js';
import { unsentText } from '../../framing/sent-text.js';
import { askAgain, giveUpCalls, parkCalls } from './ai-sdk-calls.js';
import type { AiSdkChunk, AiSdkMetadata, FinishReason, Of } from './ai-sdk-chunk.js';
import { describeOutput } from './ai-sdk-data.js';
import type { AiSdkState } from './ai-sdk-state.js';
import { closeStep, growPart, openStep } from './ai-sdk-step.js';

/** The last chunks of a segment after which the turn waits for its client. */
export function parkChunks({ step, segment, calls }: AiSdkState): AiSdkChunk[] {
  return [...parkCalls(calls), ...closeStep(step).chunks, waitChunk(segment)];
}

/** All chunks of a message that came beside the questions of its turn: they are asked again in it. */
export function questionChunks({ segment, calls }: AiSdkState): AiSdkChunk[] {
  return [...askAgain(calls), waitChunk(segment)];
}

function waitChunk({ waitsFor }: AiSdkState['segment']): AiSdkChunk {
  return { type: 'finish', finishReason: 'tool-calls', messageMetadata: { waitsFor } };
}

/** The last chunks of a turn. */
export function endChunks(state: AiSdkState, event: Of<'turn.ended'>): AiSdkChunk[] {
  const given = giveUpCalls(state.calls, 'The turn ended before this call did.');
  return [
    ...closeStep(state.step).chunks,
    ...given.chunks,
    ...lastStep(state, event),
    ...(event.output === undefined
      ? []
      : [describeOutput({ status: 'final', output: event.output })]),
    ...outcomeChunks(state, event),
  ];
}

/**
 * A note on a limit was not streamed: it gets a step of its own. So does an end right after calls,
 * without a word in it: the helpers that send a message once the calls of its last step are
 * complete would otherwise send it again, and again.
 */
function lastStep({ step, text }: AiSdkState, event: Of<'turn.ended'>): AiSdkChunk[] {
  const unsent = unsentText(text, event.text);
  if (unsent === '' && !step.hasCalls) return [];
  const opened = openStep(closeStep(step).step, step.step + 1);
  const grown = unsent === '' ? opened : growPart(opened.step, 'text', unsent);
  return [
    ...opened.chunks,
    ...(unsent === '' ? [] : grown.chunks),
    ...closeStep(grown.step).chunks,
  ];
}

function outcomeChunks({ failure }: AiSdkState, event: Of<'turn.ended'>): AiSdkChunk[] {
  const { outcome, reason, usage, durationMs } = event;
  const messageMetadata: AiSdkMetadata = { outcome, reason, usage, durationMs, waitsFor: [] };
  switch (outcome) {
    case 'completed':
    case 'limited': {
      const finishReason = finishReasons[reason] ?? (outcome === 'completed' ? 'stop' : 'other');
      return [{ type: 'finish', finishReason, messageMetadata }];
    }
    case 'interrupted':
      return [
        { type: 'message-metadata', messageMetadata },
        { type: 'abort', reason },
      ];
    case 'failed': {
      const errorText = failure?.message ?? `The turn failed: ${reason}.`;
      const { errorType: code = reason, status = 500 } = failure ?? {};
      const error = { code, status, ...retryAdvice(failure ?? {}) };
      return [
        // Sent before the error, which has no field for details and at which some clients stop.
        { type: 'message-metadata', messageMetadata: { ...messageMetadata, error } },
        { type: 'error', errorText },
        { type: 'finish', finishReason: 'error', messageMetadata },
      ];
    }
    default:
      return assertNever(outcome);
  }
}

const finishReasons: Record<string, FinishReason | undefined> = {
  max_tokens: 'length',
  context_window: 'length',
  refusal: 'content-filter',
};
