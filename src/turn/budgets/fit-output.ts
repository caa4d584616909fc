import { estimateText, type TokenModel } from '../../provider/estimate-parts.js';
import { capOutput } from '../../tools/calls/run-tool.js';
import type { TurnRun } from '../state/turn-run.js';
import { lastReplyTokens } from './find-headroom.js';

/** Tokens of a result at least, however little is left: enough for the mark of the cut. */
const LEAST_OUTPUT = 32;

/** Share of the fitting length that a cut leaves: the kept text may be denser. */
const SHRINK = 0.9;

/**
 * Cuts a tool's output to its share of what the turn's token budget has left for the calls of its
 * step. A longer output is cut in its middle, with a mark: a result that leaves no headroom for a
 * reply is of no use.
 */
export function fitOutput(
  { progress, model: { frame } }: Pick<TurnRun, 'progress' | 'model'>,
  output: string,
): string {
  const { state, steps } = progress;
  const left = state.config.tokenBudget - state.tokensUsed - 2 * lastReplyTokens(state);
  if (left === Infinity) return output;
  const calls = (steps.at(-1)?.parts ?? []).filter(({ type }) => type === 'tool_use').length;
  return cutToTokens(
    output,
    Math.max(LEAST_OUTPUT, Math.floor(left / Math.max(1, calls))),
    frame.model,
  );
}

function cutToTokens(text: string, most: number, model: TokenModel): string {
  let length = text.length;
  for (;;) {
    const cut = capOutput(text, length);
    const tokens = estimateText(cut, model);
    if (tokens <= most || length === 0) return cut;
    length = Math.floor(length * Math.min(SHRINK, (most / tokens) * SHRINK));
  }
}
