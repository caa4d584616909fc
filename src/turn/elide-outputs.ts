import type { TurnTranscript } from './build-messages.js';

/** Characters of a tool's output that are kept of an old one. */
const KEPT = 200;

/** A turn with the outputs of its tools cut to their beginnings, and said so. Pure. */
export function elideOutputs<T extends TurnTranscript>(turn: T): T {
  const results = new Map(
    [...turn.results].map(([id, result]) => [id, { ...result, output: elide(result.output) }]),
  );
  return { ...turn, results };
}

function elide(output: string | null): string | null {
  if (output === null || output.length <= KEPT) return output;
  return `${output.slice(0, KEPT)}\n[${output.length - KEPT} characters elided to save context. Run the tool again if they are needed.]`;
}
