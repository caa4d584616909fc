import type { Frame } from './dialect.js';
import { printExact } from '../../platform/exact-json.js';

/**
 * A frame as Server-Sent Events have it.
 *
 * @throws Error when a part of it holds a line break: it would start a field of its own.
 */
export function formatFrame({ id = '', event = '', data }: Frame & { id?: string }): string {
  if (hasLineBreak(data) || hasLineBreak(id) || hasLineBreak(event)) {
    throw new Error(`A frame holds a line break: ${JSON.stringify(id)}`);
  }
  const named = `${field('event', event)}${field('id', id)}`;
  return `${named}data: ${withoutOtherBreaks(printExact(data))}\n\n`;
}

/** Characters that end a line for some clients (Python's `splitlines`), though not in a stream. */
const otherBreaks = /[\u0085\u2028\u2029]/g;

/** JSON has these characters in its texts alone, where it may write them as escapes. */
function withoutOtherBreaks(json: string): string {
  return json.replace(
    otherBreaks,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function field(name: string, value: string): string {
  return value === '' ? '' : `${name}: ${value}\n`;
}

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}
