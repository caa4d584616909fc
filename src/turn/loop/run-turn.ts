import { assertNever } from '../../platform/assert-never.js';
import { nextAction, type Ending } from './next-action.js';
import { refuseToolCalls, runToolCalls } from './run-tool-calls.js';
import { runStep } from './run-step.js';
import { findLastCall } from './last-call.js';
import { loopState } from '../state/loop-state.js';
import type { Budget, TurnRun } from '../state/turn-run.js';

/**
 * The loop: asks what is next, does it, until the turn has an ending. A recovered turn comes in
 * with the steps that are stored and goes on from there.
 *
 * @returns `parked` when it waits for people: its next attempt goes on.
 *
 * @throws LeaseEndedError when the lease ends; TypedError when the provider fails.
 */
export async function runTurn(run: TurnRun): Promise<Ending | 'parked'> {
  for (;;) {
    run.lease.signal.throwIfAborted();
    const action = nextAction(loopState(run));
    switch (action.type) {
      case 'call-model': {
        const done = await runStep(run, action.step);
        if (done !== 'done') return limited(done);
        break;
      }
      case 'call-last': {
        const limit = findLastCall(run)?.limit;
        const done = await runStep(run, action.step, limit);
        if (done !== 'done') return limited(done);
        break;
      }
      case 'run-tools':
        if ((await runToolCalls(run)) === 'parked') return 'parked';
        break;
      case 'refuse-tools':
        await refuseToolCalls(run, action.reason);
        break;
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
