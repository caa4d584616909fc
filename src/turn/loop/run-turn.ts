import { assertNever } from '../../platform/assert-never.js';
import { untilAborted } from '../../platform/async/deadlines.js';
import { nextAction, type Ending } from './next-action.js';
import { refuseToolCalls, runToolCalls } from './run-tool-calls.js';
import { runStep } from './run-step.js';
import { findLastCall } from './last-call.js';
import { finishStep, storeStep } from './store-step.js';
import { decisionInput } from './decision-input.js';
import { outputInvalid, repairNotice } from './output-object.js';
import { postNotices } from './post-notices.js';
import type { Budget, Progress } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';

/**
 * The loop: decides the next action and does it, until the turn has an ending. A recovered turn
 * goes on from its stored steps.
 *
 * @returns `parked` when it waits for people: its next attempt goes on.
 * @throws LeaseEndedError when the lease ends; TypedError when the provider fails, or the model writes no
 * object that was asked for.
 */
export async function runTurn(run: AttemptContext): Promise<Ending | 'parked'> {
  // A check of the reply may wait for those of others.
  const decide = async (progress: Progress) =>
    nextAction(await untilAborted(decisionInput({ ...run, progress }), run.lease.signal));
  for (let action = await decide(run.progress); ;) {
    run.lease.signal.throwIfAborted();
    switch (action.type) {
      case 'call-model':
      case 'call-last': {
        const last = action.type === 'call-last' ? findLastCall(run)?.limit : undefined;
        const reply = await runStep(run, action.step, last);
        if (typeof reply === 'string') return limited(reply);
        const step = finishStep(run, reply);
        action = await decide(step.progress);
        await storeStep(run, step, action.type === 'end');
        break;
      }
      case 'run-tools':
        if ((await runToolCalls(run)) === 'parked') return 'parked';
        action = await decide(run.progress);
        break;
      case 'refuse-tools':
        await refuseToolCalls(run, action.reason);
        action = await decide(run.progress);
        break;
      case 'ask-again':
        await postNotices(run, [repairNotice(action.step, action.faults)]);
        action = await decide(run.progress);
        break;
      case 'give-up':
        throw outputInvalid(action.step, action.faults);
      case 'end':
        return action.ending;
      default:
        return assertNever(action);
    }
  }
}

function limited(reason: Budget): Ending {
  return { outcome: 'limited', exitCode: 0, reason };
}
