import type { TurnTranscript } from './build-messages.js';
import { contextTokens } from '../state/turn-state.js';

/** Share of a window that is kept for the reply to a step's outputs. */
const RESERVED = 0.1;

/** Tokens of one character at most, in any script. */
const MOST_TOKENS_PER_CHARACTER = 4;

/** Tokens of an output that are kept in any case. */
const LEAST = 50;

/**
 * A turn with the outputs of each step cut to what the window had left after that step: a step that
 * overfills the window would end the turn and every later one. Derived from the provider's usage of
 * each step, so that every later request has the same bytes. Pure.
 *
 * @param estimate tokens of a text.
 */
export function fitOutputs<T extends TurnTranscript>(
  turn: T,
  window: number,
  estimate: (text: string) => number,
): T {
  const cut = new Map<string, string>();
  for (const { parts, usage } of turn.steps) {
    const used = contextTokens(usage);
    const left = window * (1 - RESERVED) - used;
    const whole = parts.flatMap((part) => {
      const output = part.type === 'tool_use' ? turn.results.get(part.id)?.output : undefined;
      if (part.type !== 'tool_use' || output === undefined || output === null) return [];
      return [{ id: part.id, output }];
    });
    // Short outputs, as most are, need no estimate.
    if (used === 0 || lengthOf(whole) * MOST_TOKENS_PER_CHARACTER <= left) continue;
    const outputs = whole.map((one) => ({ ...one, tokens: estimate(one.output) }));
    if (sum(outputs) <= left) continue;
    const most = Math.max(
      LEAST,
      fairShare(
        outputs.map(({ tokens }) => tokens),
        left,
      ),
    );
    for (const { id, output, tokens } of outputs) {
      if (tokens > most) cut.set(id, cutTo(output, most / tokens));
    }
  }
  if (cut.size === 0) return turn;
  const results = new Map(
    [...turn.results].map(([id, result]) => [
      id,
      { ...result, output: cut.get(id) ?? result.output },
    ]),
  );
  return { ...turn, results };
}

function lengthOf(outputs: readonly { output: string }[]): number {
  return outputs.reduce((total, { output }) => total + output.length, 0);
}

function sum(outputs: readonly { tokens: number }[]): number {
  return outputs.reduce((total, { tokens }) => total + tokens, 0);
}

/**
 * The largest share of an output, such that all together fit `left`: a small output leaves the rest
 * of its share to others.
 */
function fairShare(sizes: readonly number[], left: number): number {
  let rest = left;
  const rising = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of rising.entries()) {
    const share = rest / (rising.length - index);
    if (size > share) return share;
    rest -= size;
  }
  return Infinity;
}

function cutTo(output: string, share: number): string {
  const kept = output.slice(0, Math.floor(output.length * share)).toWellFormed();
  return `${kept}\n[${output.length - kept.length} characters cut: the model's window has no room for them. Ask for a smaller part.]`;
}
