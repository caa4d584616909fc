import type { WireEvent } from '../reply/stream-types.js';

/** One event as the API writes it: its name, its JSON, an empty line. */
export function frameEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
