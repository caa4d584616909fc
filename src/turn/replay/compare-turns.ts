import type { TurnOutcome } from '../../events/turn-event.js';
import { compact } from '../../platform/compact.js';
import type { JsonObject } from '../../platform/json.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { shownStatus } from '../../tools/ledger.js';
import { viewListedTurn } from '../history/view-listed-turn.js';
import type { StoredTurn } from '../state/stored-turn.js';
import { textOf } from '../state/attempt.js';
import { alignCalls, type AlignedCalls, type ComparedCall } from './align-calls.js';
import { callsOf, type Recording } from '../branches/recording.js';

/** Calls of a turn that are aligned, the first of it. */
export const MOST_ALIGNED = 500;

/** A turn as it is compared. Times are milliseconds; null: not known, or not over. */
export interface ComparedTurn {
  turnId: string;
  sessionId: string;
  /** The turn that it is a replay of. Absent: it is no replay. */
  replayOf?: string;
  status: TurnStatus;
  model: string;
  agent: string;
  /** Null until the turn ends. */
  outcome: TurnOutcome | null;
  reason: string | null;
  usage: Usage | null;
  /** US dollars; null: no price is known. */
  costUsd: number | null;
  /** From its acceptance to its start. */
  queuedMs: number | null;
  /** From its start to the first event of a reply. */
  firstTokenMs: number | null;
  /** From its start to its end. */
  durationMs: number | null;
  /** Model calls. */
  steps: number;
  /** Tool calls, also those that are not aligned. */
  calls: number;
  /** Calls of a replay that the recorded turn has results of, and those that it has not. Absent: no replay. */
  recorded?: { hits: number; misses: number };
  /** The reply. */
  text: string;
  /** The object that it ended with; null: none. */
  output: JsonObject | null;
}

/** Two turns side by side. */
export interface TurnComparison {
  left: ComparedTurn;
  right: ComparedTurn;
  /** The first 500 calls of each. */
  tools: AlignedCalls[];
}

/** A turn with what is known of it elsewhere. */
export interface TurnToCompare {
  stored: StoredTurn;
  /** ISO-8601; undefined: the turn has no events any more, or none of a reply. */
  firstTokenAt: string | undefined;
  /** The recording that answered a replay's calls; undefined: the turn is no replay. */
  recording: Recording | undefined;
}

/** Compares two turns. Pure. */
export function compareTurns(left: TurnToCompare, right: TurnToCompare): TurnComparison {
  const [ofLeft, ofRight] = [viewCalls(left), viewCalls(right)];
  return {
    left: viewSide(left, ofLeft),
    right: viewSide(right, ofRight),
    tools: alignCalls(ofLeft.slice(0, MOST_ALIGNED), ofRight.slice(0, MOST_ALIGNED)),
  };
}

function viewSide(
  { stored, firstTokenAt, recording }: TurnToCompare,
  calls: readonly ComparedCall[],
): ComparedTurn {
  const { turn, steps } = stored;
  const { status, model, persona: agent, outcome, reason, usage } = viewListedTurn(turn);
  const { createdAt, startedAt, endedAt, output } = turn;
  const misses = calls.filter(({ result }) => result === 'missed').length;
  const recorded = recording && { hits: calls.length - misses, misses };
  return {
    turnId: turn.id,
    sessionId: turn.sessionId,
    ...compact({ replayOf: turn.request.replay?.turnId }),
    status,
    model,
    agent,
    outcome,
    reason,
    usage,
    costUsd: usage?.costUsd ?? null,
    queuedMs: between(createdAt, startedAt),
    firstTokenMs: between(startedAt, firstTokenAt === undefined ? null : new Date(firstTokenAt)),
    durationMs: between(startedAt, endedAt),
    steps: steps.length,
    calls: calls.length,
    ...compact({ recorded }),
    text: textOf(steps),
    output,
  };
}

function between(from: Date | null, to: Date | null): number | null {
  return from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime());
}

function viewCalls({ stored: { steps, calls }, recording }: TurnToCompare): ComparedCall[] {
  const statuses = new Map(calls.map(({ callId, status }) => [callId, shownStatus(status)]));
  return steps.flatMap((step) =>
    callsOf([step]).map((call) => ({
      callId: call.id,
      step: step.step,
      name: call.name,
      input: call.input,
      status: statuses.get(call.id) ?? 'claimed',
      ...(recording && { result: recording.find(steps, call) ? 'recorded' : 'missed' }),
    })),
  );
}
