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
  return `${named}data: ${printExact(data)}\n\n`;
}

function field(name: string, value: string): string {
  return value === '' ? '' : `${name}: ${value}\n`;
}

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}
