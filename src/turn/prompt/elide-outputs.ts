import type { ShownResult, TurnTranscript } from './build-messages.js';

/** Characters that are kept of an old output. */
const KEPT = 200;

/**
 * A turn with the outputs of its tools cut to their beginnings, each with a mark. Pure.
 *
 * @param through the last step whose outputs are cut; every step's by default.
 */
export function elideOutputs<T extends TurnTranscript>(turn: T, through = Infinity): T {
  if (through === 0) return turn;
  const old = new Set(
    turn.steps
      .filter(({ step }) => step <= through)
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []))),
  );
  const results = new Map(
    [...turn.results].map(([id, result]) => [id, old.has(id) ? elided(result) : result]),
  );
  return { ...turn, results };
}

/** Whether any output is longer than an elided one. */
export function isElidable(results: TurnTranscript['results']): boolean {
  return [...results.values()].some(
    ({ output, files }) => (output?.length ?? 0) > KEPT || (files ?? []).length > 0,
  );
}

function elided({ status, output, files }: ShownResult): ShownResult {
  const count = (files ?? []).length;
  const short = elide(output);
  if (count === 0) return { status, output: short };
  const what = count === 1 ? 'The file of this output is' : `The ${count} files of this output are`;
  return {
    status,
    output: `${short ?? ''}\n[${what} elided to save context. Run the tool again if needed.]`,
  };
}

function elide(output: string | null): string | null {
  if (output === null || output.length <= KEPT) return output;
  return `${output.slice(0, KEPT).toWellFormed()}\n[${output.length - KEPT} characters elided to save context. Run the tool again if they are needed.]`;
}
