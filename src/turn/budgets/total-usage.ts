import type { Usage } from '../../storage/shapes/stored-step.js';
import { addUsage, noUsage } from '../../events/turn-event.js';
import type { StepDraft } from '../state/attempt.js';
import { draftUsage } from './draft-usage.js';

export interface PaidTurn {
  progress: {
    steps: readonly { usage: Usage }[];
    overhead: Usage;
    draft: StepDraft | undefined;
  };
  children: readonly { usage: Usage | undefined }[];
}

/** All that a turn was paid for: steps, subagents, summaries, and the call that was cut. */
export function totalUsage({ progress, children }: PaidTurn): Usage {
  const { steps, overhead, draft } = progress;
  const done = steps.reduce((sum, step) => addUsage(sum, step.usage), overhead);
  const all = children.reduce((sum, { usage }) => addUsage(sum, usage ?? noUsage), done);
  return draft === undefined ? all : addUsage(all, draftUsage(draft));
}
