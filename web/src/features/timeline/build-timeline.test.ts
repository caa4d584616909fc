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
  buildTimeline(events, nowMs).bars.map(
    ({ label, depth, status }) => `${'  '.repeat(depth)}${label}: ${status}`,
  );

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

  it('lets bars that are not over end now', () => {
    const events = recorded('tools-thinking-sources').slice(0, 3);
    const { bars, endMs } = buildTimeline(events, startMs + 5_000);
    expect(endMs).toBe(startMs + 5_000);
    expect(bars.map(({ status, endMs: end }) => [status, end])).toEqual([
      ['open', startMs + 5_000],
      ['open', startMs + 5_000],
    ]);
    expect(buildTimeline([], 7).bars).toEqual([]);
  });
});
