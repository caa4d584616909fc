import type { TurnEventBody } from './turn-event.js';

/**
 * Adds `next` to what waits to be published, into the last one where both are deltas of one kind
 * and place. Order is kept; the concatenation of a block's deltas is the same either way.
 */
export function pushMerged(waiting: TurnEventBody[], next: TurnEventBody): void {
  const last = waiting.at(-1);
  const merged = last === undefined ? undefined : merge(last, next);
  if (merged === undefined) waiting.push(next);
  else waiting[waiting.length - 1] = merged;
}

function merge(a: TurnEventBody, b: TurnEventBody): TurnEventBody | undefined {
  if (a.type === 'text.delta' && b.type === 'text.delta' && a.step === b.step) {
    return { ...a, text: a.text + b.text };
  }
  if (a.type === 'thinking.delta' && b.type === 'thinking.delta' && a.step === b.step) {
    return { ...a, text: a.text + b.text };
  }
  if (a.type === 'tool.args.delta' && b.type === 'tool.args.delta' && a.callId === b.callId) {
    return { ...a, json: a.json + b.json };
  }
  // Of a long call's progress only the newest matters.
  if (a.type === 'tool.progress' && b.type === 'tool.progress' && a.callId === b.callId) return b;
  return undefined;
}
