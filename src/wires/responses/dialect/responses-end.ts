import type { Usage } from '../../../storage/shapes/stored-step.js';
import { assertNever } from '../../../platform/assert-never.js';
import { unsentText } from '../../framing/sent-text.js';
import type { FinalEventType, Of } from './response-event.js';
import { errorTypeOf, type ResponseProgress, type ResponseUsage } from './response-object.js';
import { giveUpCalls } from './responses-calls.js';
import { closeSpeech, growSpeech } from './responses-speech.js';
import { goOn, type Encoded, type ResponsesState } from './responses-state.js';

type Ending = Pick<ResponseProgress, 'status' | 'error' | 'incomplete_details'>;

/** The reasons of a turn's end for which the specification has a word. */
const incompleteReasons: Record<string, string | undefined> = {
  max_tokens: 'max_output_tokens',
  context_window: 'max_output_tokens',
  refusal: 'content_filter',
};

/** Ends what is open, and says what was not streamed: the note on a limit. */
export function endItems(before: ResponsesState, id: string, event: Of<'turn.ended'>): Encoded {
  const { status } = describeEnd(before, event);
  const unsent = unsentText(before.text, event.text);
  const said =
    unsent === ''
      ? { state: before, events: [] }
      : growSpeech(before, { kind: 'message', id }, unsent);
  const isCut = status !== 'completed' && unsent === '';
  return goOn(
    goOn(said, (state) => closeSpeech(state, isCut ? 'incomplete' : 'completed')),
    giveUpCalls,
  );
}

/** The state of a response whose turn has ended. */
export function describeEnd({ failure }: ResponsesState, event: Of<'turn.ended'>): Ending {
  const { outcome, reason } = event;
  switch (outcome) {
    case 'completed': {
      const known = incompleteReasons[reason];
      return known === undefined ? over('completed') : over('incomplete', known);
    }
    case 'limited':
      return over('incomplete', incompleteReasons[reason] ?? reason);
    case 'interrupted':
      return over('cancelled', reason);
    case 'failed': {
      const { errorType: code = reason, message = `The turn failed: ${reason}.` } = failure ?? {};
      const type = errorTypeOf(failure?.status ?? 500);
      return { ...over('failed'), error: { code, type, message } };
    }
    default:
      return assertNever(outcome);
  }
}

function over(status: Ending['status'], reason?: string): Ending {
  return { status, error: null, incomplete_details: reason === undefined ? null : { reason } };
}

/** The last event of a response, by its status: a cancelled one has no event of its own. */
export function finalEventOf(status: ResponseProgress['status']): FinalEventType {
  if (status === 'completed') return 'response.completed';
  return status === 'failed' ? 'response.failed' : 'response.incomplete';
}

/** The part of the whole turn's usage that is not of earlier responses. */
export function usageSince(whole: Usage, before: Usage): Usage {
  const rest = (name: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens') =>
    Math.max(0, whole[name] - before[name]);
  return {
    inputTokens: rest('inputTokens'),
    outputTokens: rest('outputTokens'),
    cacheReadTokens: rest('cacheReadTokens'),
    cacheWriteTokens: rest('cacheWriteTokens'),
    thinkingTokens: Math.max(0, (whole.thinkingTokens ?? 0) - (before.thinkingTokens ?? 0)),
  };
}

export function describeUsage(usage: Usage): ResponseUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage.thinkingTokens ?? 0 },
    total_tokens: input + outputTokens,
  };
}
