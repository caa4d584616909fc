import { type AgentState, changeState } from '../../governance/decision-tree/agent-state.js';
import { lastCall, type LastCallLimit } from '../../governance/limits/limit-reached.js';
import type { NewNotice } from '../../governance/notices/trigger.js';
import { postNotices } from './post-notices.js';
import type { Attempt, Progress } from '../state/attempt.js';

/** A call inside a limit that is the last one of its turn: no tool may be called in it. */
export interface LastCall {
  limit: LastCallLimit;
  /** Whether its reply is stored. */
  isDone: boolean;
}

const limits: readonly LastCallLimit[] = ['max_turns', 'token_budget'];

/** The mark of the last call's notice; a recovered turn finds the call by it. */
export function lastCallMark(limit: string): string {
  return `last-call:${limit}`;
}

/**
 * The last call that a turn has made or is to make next; undefined while others are left. Call it
 * when every result of the last step is in. A call that was announced as the last stays the last,
 * also after a takeover.
 */
export function findLastCall({
  tree,
  progress,
}: Pick<Attempt, 'tree' | 'progress'>): LastCall | undefined {
  const { steps, state } = progress;
  const done = steps.at(-1)?.step ?? 0;
  for (const limit of limits) {
    const announced = progress.notices.find(({ mark }) => mark === lastCallMark(limit));
    if (announced !== undefined) return { limit, isDone: done > announced.afterStep };
  }
  // A single iteration keeps no last call: the model may call tools in it, and is not called again.
  if (steps.length === 0) return undefined;
  if (isBeforeLastIteration(tree, state)) return { limit: 'max_turns', isDone: false };
  return isCutWithoutAnswer(progress) ? { limit: 'token_budget', isDone: false } : undefined;
}

function isBeforeLastIteration(tree: Attempt['tree'], state: AgentState): boolean {
  // A steered message continues a turn that the model took for finished.
  const open = changeState(state, { hasFinished: false });
  return (
    tree.shouldContinue(open).shouldContinue &&
    tree.shouldContinue(tree.onTurnStart(open)).reason === 'max_iterations'
  );
}

/** A reply that the turn's budget cut before it had any text for the user. */
function isCutWithoutAnswer({ steps }: Progress): boolean {
  const last = steps.at(-1);
  return (
    last?.stopReason === 'max_tokens' &&
    last.clampedBy === 'token_budget' &&
    !last.parts.some((part) => part.type === 'text' && part.text.trim() !== '')
  );
}

/**
 * Announces the last call, to the readers and with the call to the model, once.
 *
 * @param state of the iteration that begins, with the call's added tokens counted.
 */
export async function postLastCall(
  attempt: Attempt,
  limit: LastCallLimit,
  state: AgentState,
): Promise<void> {
  const { notices, steps } = attempt.progress;
  const mark = lastCallMark(limit);
  if (notices.some((notice) => notice.mark === mark)) return;
  const { metadata, ...reached } = lastCall(limit, state);
  const notice: NewNotice = {
    ...reached,
    mark,
    level: 'step',
    metadata: { ...metadata },
    // A paused reply goes on where it stopped: nothing can stand between its parts.
    seenByModel: steps.at(-1)?.stopReason !== 'pause_turn',
  };
  await postNotices(attempt, [notice]);
}
