import type { ResponseEventBody, ResponsesEvent } from './response-event.js';

/**
 * Numbers of each attempt's events, at most. A number must follow from the log alone, also where the log has
 * lost what an attempt streamed after its last commit: a reader may have had those events. So each attempt
 * counts from a number that no event of an earlier attempt has, and a reader that goes on after any number
 * misses nothing of the attempts after it. Clients keep numbers in 32 bits: there is room for 2,000 attempts.
 */
const OF_ATTEMPT = 1_000_000;

export interface Numbering {
  /** The attempt that counts from 0. */
  firstAttempt: number;
  /** The least number of the next event. */
  next: number;
}

/** Numbers the events that an event of an attempt makes. Pure. */
export function numberEvents(
  { firstAttempt, next }: Numbering,
  attempt: number,
  bodies: readonly ResponseEventBody[],
): { numbering: Numbering; events: ResponsesEvent[] } {
  let number = next;
  const events = bodies.map((body): ResponsesEvent => {
    // A response's first event is there before any attempt.
    const isFirst = body.type === 'response.created';
    if (!isFirst) number = Math.max(number, (attempt - firstAttempt) * OF_ATTEMPT);
    const event = { ...body, sequence_number: number };
    number += 1;
    return event;
  });
  return { numbering: { firstAttempt, next: number }, events };
}
