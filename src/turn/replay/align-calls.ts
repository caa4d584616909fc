import type { ToolStatus } from '../../storage/shapes/stored-step.js';
import type { JsonObject } from '../../platform/json.js';
import { callKey } from '../branches/recording.js';

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
