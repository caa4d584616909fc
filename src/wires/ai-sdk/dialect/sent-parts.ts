import type { AiSdkChunk } from './ai-sdk-frames.js';

type DataChunk = Extract<AiSdkChunk, { type: `data-${string}` }>;

/** What a client's message has of the chunks so far, as far as later chunks depend on it. */
export interface SentParts {
  /** The step that the message's last `start-step` began; undefined: none has begun in it. */
  step: number | undefined;
  /** Data parts that came after that, each as it came last. */
  data: readonly DataChunk[];
  /** Ids of approvals that the message asks for. */
  requested: ReadonlySet<string>;
}

export const nothingSent: SentParts = { step: undefined, data: [], requested: new Set() };

/** Adds the chunks of an event. Pure. @param step the turn's last step. */
export function addSent(before: SentParts, chunks: readonly AiSdkChunk[], step: number): SentParts {
  let sent = before;
  for (const chunk of chunks) {
    if (chunk.type === 'start-step') sent = { ...sent, step, data: [] };
    else if (chunk.type === 'reset-step') sent = { ...sent, data: [] };
    else if (chunk.type === 'tool-approval-request') {
      sent = { ...sent, requested: new Set(sent.requested).add(chunk.approvalId) };
    } else if ('data' in chunk && chunk.transient !== true) {
      const others = sent.data.filter(({ type, id }) => type !== chunk.type || id !== chunk.id);
      sent = { ...sent, data: [...others, chunk] };
    }
  }
  return sent;
}

/**
 * Takes the parts of a step back. `reset-step` deletes all that came after the message's last `start-step`, also what
 * is said of the turn rather than of the step: that is sent again. The turn's object is void with its step. Pure.
 *
 * @returns no chunk where the message does not have the step.
 */
export function resetStep({ step: last, data }: SentParts, step: number): AiSdkChunk[] {
  if (last !== step) return [];
  return [{ type: 'reset-step' }, ...data.filter(({ type }) => type !== 'data-output')];
}
