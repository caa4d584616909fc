import type Anthropic from '@anthropic-ai/sdk';
import { assertNever } from '../../platform/assert-never.js';
import type { StopReason } from '../model-types.js';
import { malformedStream, unknownToUs } from '../provider-errors.js';

type WireStopReason = Anthropic.StopReason;

const KNOWN: Record<WireStopReason, true> = {
  end_turn: true,
  max_tokens: true,
  stop_sequence: true,
  tool_use: true,
  pause_turn: true,
  refusal: true,
  model_context_window_exceeded: true,
};

/**
 * Why the model stopped, in our words.
 *
 * @throws `API_RESPONSE_ERROR` 502 for a reason we do not know and for none at all: to take either
 * for `end_turn` would end a turn in silence that should have gone on, or that was cut off.
 */
export function mapStopReason(reason: unknown): StopReason {
  if (!isWireStopReason(reason)) {
    const what = `the stop reason ${JSON.stringify(reason ?? null)} is not known`;
    throw typeof reason === 'string' ? unknownToUs(what) : malformedStream(what);
  }
  switch (reason) {
    case 'end_turn':
    case 'max_tokens':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause_turn':
    case 'refusal':
      return reason;
    case 'model_context_window_exceeded':
      return 'context_window';
    default:
      return assertNever(reason);
  }
}

function isWireStopReason(reason: unknown): reason is WireStopReason {
  return typeof reason === 'string' && Object.hasOwn(KNOWN, reason);
}
