import type { TurnEventBody } from './turn-event.js';

/**
 * Adds an event to the pending ones, merged into the last where both are deltas of one kind and
 * block. The order and the concatenation of a block's deltas stay the same.
 */
export function pushMerged(pending: TurnEventBody[], next: TurnEventBody): void {
  const last = pending.at(-1);
  const merged = last === undefined ? undefined : merge(last, next);
  if (merged === undefined) pending.push(next);
  else pending[pending.length - 1] = merged;
}

function merge(a: TurnEventBody, b: TurnEventBody): TurnEventBody | undefined {
  if (a.type === 'text.delta' && b.type === 'text.delta' && a.step === b.step) {
    return { type: a.type, step: a.step, text: a.text + b.text };
  }
  if (a.type === 'thinking.delta' && b.type === 'thinking.delta' && a.step === b.step) {
    return { type: a.type, step: a.step, text: a.text + b.text };
  }
  if (a.type === 'tool.args.delta' && b.type === 'tool.args.delta' && a.callId === b.callId) {
    return { type: a.type, callId: a.callId, json: a.json + b.json };
  }
  // Only the newest progress of a call matters.
  if (a.type === 'tool.progress' && b.type === 'tool.progress' && a.callId === b.callId) return b;
  return undefined;
}
