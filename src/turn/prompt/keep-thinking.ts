import type { SentPrefix } from '../../storage/shapes/sent-request.js';

/** A step with thinking, as it stands in a request. */
export interface ThinkingStep {
  /** `turnId:step`. */
  key: string;
  /** The hash of everything before it in this request. */
  digest: string;
  /** The prefix of the request it was made by; null where none was stored. */
  sent: SentPrefix | null;
}

/**
 * The steps whose thinking a model with bound thinking accepts: those whose request began as this
 * one does, back to the first that did not. Thinking that is left out once stays left out, because
 * later replies were made without it. Pure.
 *
 * @param after steps up to this one are sent without: the provider refused their thinking.
 */
export function keepThinking(
  steps: readonly ThinkingStep[],
  after: string | undefined,
): ReadonlySet<string> {
  const kept = new Set<string>();
  let oldest = 0;
  for (let index = steps.length - 1; index >= oldest; index -= 1) {
    const step = steps[index];
    if (step?.sent === undefined || step.sent === null) break;
    if (step.key === after || step.sent.hash !== step.digest) break;
    kept.add(step.key);
    const { thinkingFrom } = step.sent;
    const from = thinkingFrom === null ? index : steps.findIndex(({ key }) => key === thinkingFrom);
    oldest = Math.max(oldest, from);
  }
  return kept;
}
