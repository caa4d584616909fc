import type { PlacedFrame } from './encode-turn.js';

/** What the SSE writer takes: a message, or a comment alone. */
export interface SseMessage {
  id?: string;
  type?: string;
  data?: string;
  comment?: string;
}

/** Sent when nothing else was, so that no proxy takes the stream for dead. */
export const keepalive: SseMessage = { comment: 'keepalive' };

/**
 * @throws Error when a name or an id holds a line break: it would start a field of its own.
 *   Data cannot: JSON text has none.
 */
export function toSseMessage(frame: PlacedFrame): SseMessage {
  if (/[\r\n]/.test(frame.id) || (frame.event !== undefined && /[\r\n]/.test(frame.event))) {
    throw new Error(`A frame's id or event name holds a line break: ${JSON.stringify(frame.id)}`);
  }
  const message: SseMessage = { id: frame.id, data: frame.data };
  if (frame.event !== undefined) message.type = frame.event;
  return message;
}
