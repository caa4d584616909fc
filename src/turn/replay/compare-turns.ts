import type { TurnOutcome } from '../../events/turn-event.js';
import { compact } from '../../platform/compact.js';
import type { JsonObject } from '../../platform/json.js';
import type { Usage, ToolStatus } from '../../storage/shapes/stored-step.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { shownStatus } from '../../tools/ledger.js';
import { viewListedTurn } from '../history/list-turns.js';
import type { StoredTurn } from '../state/stored-turn.js';
import { textOf } from '../state/attempt.js';
import { callsOf, type Recording, callKey } from '../branches/recording.js';

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

/** A tool call of a turn that is compared. */
export interface ComparedCall {
  callId: string;
  step: number;
  name: string;
  /** As the model gave it. */
  input: JsonObject;
  /** `claimed`: it has no result. */
  status: 'claimed' | ToolStatus;
  /** A replay's call: whether the recorded turn had its result. Absent: the turn is no replay. */
  result?: 'recorded' | 'missed';
}

/** `changed`: the same tool with another input, at the same place. */
export const alignedKinds = ['same', 'changed', 'onlyLeft', 'onlyRight'] as const;

/** Calls of two turns that stand beside each other. */
export interface AlignedCalls {
  kind: (typeof alignedKinds)[number];
  left?: ComparedCall;
  right?: ComparedCall;
}

type Calls = readonly ComparedCall[];

/**
 * The calls of two turns side by side, in the order of both: those of one tool with one input, as many as can be;
 * between them, those of one tool; the others alone. Pure. Its time grows with the product of the lengths.
 */
export function alignCalls(left: Calls, right: Calls): AlignedCalls[] {
  return alignBy(left, right, { keyOf: callKey, kind: 'same' }, (leftGap, rightGap) =>
    alignBy(leftGap, rightGap, { keyOf: ({ name }) => name, kind: 'changed' }, (a, b) => [
      ...a.map((one): AlignedCalls => ({ kind: 'onlyLeft', left: one })),
      ...b.map((one): AlignedCalls => ({ kind: 'onlyRight', right: one })),
    ]),
  );
}

/** @param between aligns what is between two matches. */
function alignBy(
  left: Calls,
  right: Calls,
  { keyOf, kind }: { keyOf(call: ComparedCall): string; kind: AlignedCalls['kind'] },
  between: (left: Calls, right: Calls) => AlignedCalls[],
): AlignedCalls[] {
  const matches = longestCommon(left.map(keyOf), right.map(keyOf));
  const pairs: AlignedCalls[] = [];
  let [fromLeft, fromRight] = [0, 0];
  for (const [atLeft, atRight] of [...matches, [left.length, right.length] as const]) {
    pairs.push(...between(left.slice(fromLeft, atLeft), right.slice(fromRight, atRight)));
    const [one, other] = [left[atLeft], right[atRight]];
    if (one !== undefined && other !== undefined) pairs.push({ kind, left: one, right: other });
    [fromLeft, fromRight] = [atLeft + 1, atRight + 1];
  }
  return pairs;
}

/** Places of a longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const width = b.length + 1;
  // Lengths for the rests from each pair of places.
  const lengths = new Uint32Array((a.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const matches: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      matches.push([i, j]);
      i += 1;
      j += 1;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return matches;
}
