import type { FrameWithCursor } from './dialect.js';

/**
 * A frame as Server-Sent Events have it.
 *
 * @throws Error when a part of it holds a line break: it would start a field of its own.
 */
export function formatFrame({ id, event, data }: FrameWithCursor): string {
  if (hasLineBreak(data) || hasLineBreak(id) || (event !== undefined && hasLineBreak(event))) {
    throw new Error(`A frame holds a line break: ${JSON.stringify(id)}`);
  }
  return `${event === undefined ? '' : `event: ${event}\n`}id: ${id}\ndata: ${data}\n\n`;
}

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}
