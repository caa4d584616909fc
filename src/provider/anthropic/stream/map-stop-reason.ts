import type Anthropic from '@anthropic-ai/sdk';
import { assertNever } from '../../../platform/assert-never.js';
import type { StopReason } from '../../model-types.js';
import { malformedStream, unknownValue } from '../../provider-errors.js';

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
 * The stop reason of a reply in the terms of `StopReason`.
 *
 * @throws `API_RESPONSE_ERROR` 502 for an unknown reason and for none: taken for `end_turn`, either
 * would end a turn in silence that should go on, or that was cut off.
 */
export function mapStopReason(reason: unknown): StopReason {
  if (!isWireStopReason(reason)) {
    const what = `the stop reason ${JSON.stringify(reason ?? null)} is not known`;
    throw typeof reason === 'string' ? unknownValue(what) : malformedStream(what);
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
