import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '#src/events/turn-event.js';
import { buildTimeline } from './build-timeline.js';

const startMs = Date.parse('2026-01-01T00:00:00Z');

/** Recorded events, a tenth of a second after one another. */
function recorded(name: string): TurnEvent[] {
  const file = new URL(`../../../../test/golden/events/${name}.json`, import.meta.url);
  const events = JSON.parse(readFileSync(file, 'utf8')) as TurnEvent[];
  return events.map((event, index) => at(event, startMs + index * 100));
}

function at(event: TurnEvent, ms: number): TurnEvent {
  const time = new Date(ms).toISOString();
  return event.type === 'subagent.told'
    ? { ...event, at: time, event: { ...event.event, at: time } }
    : { ...event, at: time };
}

const rows = (events: readonly TurnEvent[], nowMs = startMs + 60_000) =>
  workOf(events, nowMs).map(
    ({ label, depth, status }) => `${'  '.repeat(depth)}${label}: ${status}`,
  );

/** The bars without those of the time between them. */
const workOf = (events: readonly TurnEvent[], nowMs: number) =>
  buildTimeline(events, nowMs).bars.filter(({ kind }) => kind !== 'gap');

describe('buildTimeline', () => {
  it('has each step, model call and tool, below what it belongs to', () => {
    const events = recorded('tools-thinking-sources');
    expect(rows(events)).toEqual([
      'Step 1: done',
      '  Model call: done',
      '  read: done',
      'Step 2: done',
      '  Model call: done',
    ]);
    const { outcome, steps, endMs, usage } = buildTimeline(events, Infinity);
    expect(outcome).toBe('completed');
    expect(steps.map(({ step }) => step)).toEqual([1, 2]);
    expect(endMs).toBe(startMs + (events.length - 1) * 100);
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it('has the time in which it waited for people, whose answers it still waits for too', () => {
    const events = recorded('parked-for-people');
    expect(buildTimeline(events, Infinity).waitedMs).toBe(600);
    const parkedAt = events.findIndex(({ type }) => type === 'turn.parked');
    const open = buildTimeline(events.slice(0, parkedAt + 1), startMs + 60_000);
    expect(open.endMs - open.startMs - open.waitedMs).toBe(parkedAt * 100);
    expect(open.modelCalls).toBe(1);
  });

  it('tells what was discarded from what was done again', () => {
    expect(rows(recorded('recovered-after-a-crash'))).toEqual([
      'Step 1: done',
      '  Model call: done',
      '  bash: bad',
      'Recovery, attempt 2: done',
      'Step 2: discarded',
      '  Model call: discarded',
      'Recovery, attempt 3: done',
      'Step 2: done',
      '  Model call: done',
    ]);
  });

  it('has what people were asked, and the steps of subagents', () => {
    expect(rows(recorded('limited-and-everything-else'))).toEqual([
      'In the queue: done',
      'Step 1: done',
      '  Model call: done',
      '  write: asks: done',
      '  write: bad',
      '    REVIEWER: done',
      '    Step 1: open',
      '      Model call: open',
    ]);
  });

  it('names the time in which nothing else is shown', () => {
    // The worker died before its first step.
    const events = recorded('recovered-after-a-crash')
      .filter(({ type, attempt }) => attempt > 1 || type === 'turn.started')
      .map((event, index) => at(event, startMs + index * 10_000));
    const { bars } = buildTimeline(events, Infinity, startMs - 5_000);
    const gaps = bars.filter(({ kind }) => kind === 'gap');
    expect(gaps.slice(0, 2).map(({ label, startMs: from }) => [label, from - startMs])).toEqual([
      ['Waiting for a worker', -5_000],
      ['No sign of the worker', 0],
    ]);
  });

  it('lets bars that are not over end now', () => {
    const events = recorded('tools-thinking-sources').slice(0, 3);
    expect(buildTimeline(events, startMs + 5_000).endMs).toBe(startMs + 5_000);
    expect(workOf(events, startMs + 5_000).map(({ status, endMs: end }) => [status, end])).toEqual([
      ['open', startMs + 5_000],
      ['open', startMs + 5_000],
    ]);
    expect(buildTimeline([], 7).bars).toEqual([]);
  });
});
