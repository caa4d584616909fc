import {
  MAX_ALIGNED_CALLS,
  type AlignedCallsDto,
  type ComparedCallDto,
  type ComparedTurnDto,
  type TurnComparisonDto,
} from './replay.dto.js';
import { compact } from '../../platform/face.js';
import { shownStatus } from '../../tools/face.js';
import {
  callKey,
  callsOf,
  type Recording,
  type StoredTurn,
  textOf,
  viewListedTurn,
} from '../../turn/face.js';

/** A turn with what is known of it elsewhere. */
export interface TurnToCompare {
  stored: StoredTurn;
  /** ISO-8601; undefined: the turn has no events any more, or none of a reply. */
  firstTokenAt: string | undefined;
  /** The recording that answered a replay's calls; undefined: the turn is no replay. */
  recording: Recording | undefined;
}

/** Compares two turns. Pure. */
export function compareTurns(left: TurnToCompare, right: TurnToCompare): TurnComparisonDto {
  const [ofLeft, ofRight] = [viewCalls(left), viewCalls(right)];
  return {
    left: viewSide(left, ofLeft),
    right: viewSide(right, ofRight),
    tools: alignCalls(ofLeft.slice(0, MAX_ALIGNED_CALLS), ofRight.slice(0, MAX_ALIGNED_CALLS)),
  };
}

function viewSide(
  { stored, firstTokenAt, recording }: TurnToCompare,
  calls: readonly ComparedCallDto[],
): ComparedTurnDto {
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

function viewCalls({ stored: { steps, calls }, recording }: TurnToCompare): ComparedCallDto[] {
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

type Calls = readonly ComparedCallDto[];

/**
 * The calls of two turns side by side, in the order of both: those of one tool with one input, as many as can be;
 * between them, those of one tool; the others alone. Pure. Its time grows with the product of the lengths.
 */
export function alignCalls(left: Calls, right: Calls): AlignedCallsDto[] {
  return alignBy(left, right, { keyOf: callKey, kind: 'same' }, (leftGap, rightGap) =>
    alignBy(leftGap, rightGap, { keyOf: ({ name }) => name, kind: 'changed' }, (a, b) => [
      ...a.map((one): AlignedCallsDto => ({ kind: 'onlyLeft', left: one })),
      ...b.map((one): AlignedCallsDto => ({ kind: 'onlyRight', right: one })),
    ]),
  );
}

/** @param between aligns what is between two matches. */
function alignBy(
  left: Calls,
  right: Calls,
  { keyOf, kind }: { keyOf(call: ComparedCallDto): string; kind: AlignedCallsDto['kind'] },
  between: (left: Calls, right: Calls) => AlignedCallsDto[],
): AlignedCallsDto[] {
  const matches = longestCommon(left.map(keyOf), right.map(keyOf));
  const pairs: AlignedCallsDto[] = [];
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
