import type { MessagesRequest } from '../request-types.js';
import type { RefusalCategory, WireStop, WireStopReason } from './stream-types.js';

interface StopFacts {
  request: MessagesRequest;
  category: RefusalCategory | undefined;
}

/** How a reply ends, in the words of the API. */
export function planStop(reason: WireStopReason, { request, category }: StopFacts): WireStop {
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (request.stop_sequences?.[0] ?? 'STOP') : null,
    stop_details:
      reason === 'refusal'
        ? {
            type: 'refusal',
            category: category ?? 'general_harms',
            explanation: 'A rehearsed refusal.',
          }
        : null,
  };
}
