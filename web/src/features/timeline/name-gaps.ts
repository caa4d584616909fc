import type { TurnEvent } from '#src/events/turn-event.js';
import type { Bar } from './bars.js';

/** Shorter gaps than this share of the turn, and than this many milliseconds, need no name. */
const LEAST_SHARE = 0.01;
const LEAST_MS = 20;

interface Span {
  events: readonly TurnEvent[];
  startMs: number;
  endMs: number;
  isOver: boolean;
}

/**
 * The bars of a turn with one for each time in which none of them was open, so that no part of the turn is without a
 * name. Pure.
 */
export function nameGaps(
  bars: readonly Bar[],
  { events, startMs, endMs, isOver }: Span,
): readonly Bar[] {
  const least = Math.max(LEAST_MS, (endMs - startMs) * LEAST_SHARE);
  const started = events.find(({ type }) => type === 'turn.started');
  const startedMs = started === undefined ? endMs : Date.parse(started.at);
  const all: Bar[] = [];
  const add = (label: string, fromMs: number, toMs: number): void => {
    if (toMs - fromMs < least) return;
    const key = `gap:${all.length}`;
    all.push({ key, kind: 'gap', depth: 0, label, startMs: fromMs, endMs: toMs, status: 'done' });
  };
  /** The end of what was named so far. */
  let doneMs = startMs;
  const fill = (untilMs: number, label: string): void => {
    const split = Math.min(Math.max(startedMs, doneMs), untilMs);
    add('Waiting for a worker', doneMs, split);
    add(label, split, untilMs);
    doneMs = Math.max(doneMs, untilMs);
  };
  let hasStep = false;
  for (const bar of bars) {
    if (bar.depth === 0) {
      fill(bar.startMs, labelBefore(bar, hasStep));
      hasStep ||= bar.kind === 'step';
    }
    all.push(bar);
    // What is nested may outlast its step: an approval that the turn waits for.
    doneMs = Math.max(doneMs, bar.endMs);
  }
  if (isOver || bars.length === 0) fill(endMs, hasStep ? 'Storing the end' : 'Getting ready');
  return all;
}

function labelBefore({ kind }: Bar, hasStep: boolean): string {
  if (kind === 'recovery') return 'No sign of the worker';
  return hasStep ? 'Between the steps' : 'Getting ready';
}
