import { contextTokens, type EventOf, promptTokens, type Usage } from '../../../events/face.js';
import { assertNever } from '../../../platform/face.js';
import { errorTypeOf, type ResponseProgress, type ResponseUsage } from './response-frames.js';

type Ending = Pick<ResponseProgress, 'status' | 'error' | 'incomplete_details'>;

/** The reasons of a turn's end for which the specification has a word. */
const incompleteReasons: Record<string, string | undefined> = {
  max_tokens: 'max_output_tokens',
  context_window: 'max_output_tokens',
  refusal: 'content_filter',
};

/** The state of a response whose turn has ended. */
export function describeEnd(
  failure: EventOf<'turn.failed'> | undefined,
  { outcome, reason }: EventOf<'turn.ended'>,
): Ending {
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

/** The part of the whole turn's usage that is not of earlier responses. */
export function usageSince(whole: Usage, before: Usage): Usage {
  const rest = (name: keyof Usage): number => Math.max(0, (whole[name] ?? 0) - (before[name] ?? 0));
  return {
    inputTokens: rest('inputTokens'),
    outputTokens: rest('outputTokens'),
    cacheReadTokens: rest('cacheReadTokens'),
    cacheWriteTokens: rest('cacheWriteTokens'),
    thinkingTokens: rest('thinkingTokens'),
  };
}

export function describeUsage(usage: Usage): ResponseUsage {
  return {
    input_tokens: promptTokens(usage),
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.thinkingTokens ?? 0 },
    total_tokens: contextTokens(usage),
  };
}
