import { allTokens } from '../../components/format.js';
import type { Usage } from '#src/storage/shapes/stored-step.js';
import type { TurnEvent, TurnOutcome } from '#src/events/turn-event.js';
import { addUsage } from '#src/events/turn-event.js';
import { openBars, type Bar } from './bars.js';
import { nameGaps } from './name-gaps.js';

export interface StepFacts {
  step: number;
  usage: Usage;
  /** Tokens of the context with the step's reply, which the next call starts from. */
  contextTokens: number;
}

export interface Timeline {
  /** The time of the first event, in milliseconds since 1970. */
  startMs: number;
  /** The time of the last event, or now while the turn runs. */
  endMs: number;
  /** Milliseconds that it waited for answers of people, which the limit of its time does not count. */
  waitedMs: number;
  /** With the one that runs, as the server counts; without what was discarded. */
  modelCalls: number;
  bars: readonly Bar[];
  steps: readonly StepFacts[];
  /** The usage of stored steps, without subagents. */
  usage: Usage;
  agent?: string;
  model?: string;
  contextWindow?: number;
  /** Absent while it runs. */
  outcome?: TurnOutcome;
  reason?: string;
}

const none: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/**
 * The timeline of a turn. Pure.
 *
 * @param nowMs the end of open bars.
 * @param createdMs the time at which the turn was accepted; undefined: that of its first event.
 */
export function buildTimeline(
  events: readonly TurnEvent[],
  nowMs: number,
  createdMs?: number,
): Timeline {
  const first = events[0];
  const last = events.at(-1);
  const startMs = createdMs ?? (first === undefined ? nowMs : Date.parse(first.at));
  const isOver = last?.type === 'turn.ended';
  const endMs = last !== undefined && isOver ? Date.parse(last.at) : Math.max(nowMs, startMs);
  const bars = openBars(events, endMs);
  const timeline: Timeline = {
    startMs,
    endMs,
    waitedMs: waitOf(events, endMs),
    modelCalls: bars.filter(({ kind, status }) => kind === 'model' && status !== 'discarded')
      .length,
    bars: nameGaps(bars, { events, startMs, endMs, isOver }),
    steps: events.flatMap(stepOf),
    usage: none,
  };
  return events.reduce(addFact, timeline);
}

function waitOf(events: readonly TurnEvent[], endMs: number): number {
  let waitedMs = 0;
  let parkedMs: number | undefined;
  for (const { type, at } of events) {
    if (type === 'turn.parked') parkedMs = Date.parse(at);
    else if (parkedMs !== undefined && !type.startsWith('approval.')) {
      waitedMs += Date.parse(at) - parkedMs;
      parkedMs = undefined;
    }
  }
  return parkedMs === undefined ? waitedMs : waitedMs + endMs - parkedMs;
}

function stepOf(event: TurnEvent): StepFacts[] {
  if (event.type !== 'step.ended') return [];
  const { step, usage } = event;
  return [{ step, usage, contextTokens: allTokens(usage) }];
}

function addFact(timeline: Timeline, event: TurnEvent): Timeline {
  if (event.type === 'turn.started') {
    const { agent, model, contextWindow } = event;
    return { ...timeline, agent, model, contextWindow };
  }
  if (event.type === 'step.ended') {
    return { ...timeline, usage: addUsage(timeline.usage, event.usage) };
  }
  if (event.type === 'turn.ended') {
    const { outcome, reason, usage } = event;
    return { ...timeline, outcome, reason, usage };
  }
  return timeline;
}
