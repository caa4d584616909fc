import type { FrameWithCursor } from './encode-turn.js';

/**
 * A frame as Server-Sent Events have it.
 *
 * @throws Error when a part of it holds a line break: it would start a field of its own.
 */
export function formatFrame({ id, event, data }: FrameWithCursor): string {
  const text = `${event === undefined ? '' : `event: ${event}\n`}id: ${id}\ndata: ${data}`;
  const lines = event === undefined ? 2 : 3;
  if (text.split('\n', lines + 1).length !== lines || text.includes('\r')) {
    throw new Error(`A frame holds a line break: ${JSON.stringify(id)}`);
  }
  return `${text}\n\n`;
}
