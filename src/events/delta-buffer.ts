import type { TurnEvent, TurnEventBody } from './turn-event.js';

type Delta = Extract<TurnEvent, { type: 'text.delta' | 'thinking.delta' | 'tool.args.delta' }>;

/** Deltas of one block, with numbers that follow each other. */
interface DeltaRun {
  first: Delta;
  pieces: string[];
  /** When each came, in ms since the Unix epoch. */
  at: number[];
}

/**
 * Events in order, held for as long as a step runs. Most of them are deltas: each is a piece and a time here, which for
 * a word take 61 bytes, where the event takes 162.
 */
export class DeltaBuffer {
  #parts: (DeltaRun | TurnEvent)[] = [];
  #last: DeltaRun | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @param atMs when they were stamped, in ms since the Unix epoch: to read it in each event would cost more. */
  push(events: readonly TurnEvent[], atMs: number): void {
    for (const event of events) this.#add(event, atMs);
    this.#length += events.length;
  }

  /** @returns the events as they were pushed. */
  all(): TurnEvent[] {
    return this.#parts.flatMap((part) => ('pieces' in part ? spell(part) : part));
  }

  clear(): void {
    this.#parts = [];
    this.#last = undefined;
    this.#length = 0;
  }

  #add(event: TurnEvent, atMs: number): void {
    if (!isDelta(event)) {
      this.#parts.push(event);
      this.#last = undefined;
      return;
    }
    if (this.#last === undefined || !continuesRun(this.#last, event)) {
      this.#last = { first: event, pieces: [], at: [] };
      this.#parts.push(this.#last);
    }
    this.#last.pieces.push(event.type === 'tool.args.delta' ? event.json : event.text);
    this.#last.at.push(atMs);
  }
}

function isDelta(event: TurnEvent): event is Delta {
  const { type } = event;
  return type === 'text.delta' || type === 'thinking.delta' || type === 'tool.args.delta';
}

function continuesRun({ first, pieces }: DeltaRun, next: Delta): boolean {
  return (
    next.type === first.type &&
    blockOf(next) === blockOf(first) &&
    next.attempt === first.attempt &&
    next.seq === first.seq + pieces.length
  );
}

function blockOf(delta: Delta): string | number {
  return delta.type === 'tool.args.delta' ? delta.callId : delta.step;
}

function spell({ first, pieces, at }: DeltaRun): Delta[] {
  return pieces.map((piece, index): Delta => {
    const seq = first.seq + index;
    const time = new Date(at[index] ?? 0).toISOString();
    return first.type === 'tool.args.delta'
      ? {
          type: first.type,
          callId: first.callId,
          json: piece,
          attempt: first.attempt,
          seq,
          at: time,
        }
      : { type: first.type, step: first.step, text: piece, attempt: first.attempt, seq, at: time };
  });
}

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
