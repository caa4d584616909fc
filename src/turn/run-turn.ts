import { unreachable } from '../platform/exhaustive.js';
import { nextAction, type Ending } from './next-action.js';
import { refuseToolCalls, runToolCalls } from './run-tool-calls.js';
import { runStep } from './run-step.js';
import { loopState } from './loop-state.js';
import type { TurnRun } from './turn-run.js';

/** What is left of the budget holds neither the next request nor a reply. */
const outOfTokens: Ending = { outcome: 'limited', exitCode: 0, reason: 'token_budget' };

/**
 * The loop: asks what is next, does it, until the turn has an ending. A recovered turn comes in
 * with the steps that are stored and goes on from there.
 *
 * @throws LeaseEndedError when the lease ends; TypedError when the provider fails.
 */
export async function runTurn(run: TurnRun): Promise<Ending> {
  for (;;) {
    run.lease.signal.throwIfAborted();
    const action = nextAction(loopState(run));
    switch (action.type) {
      case 'call-model':
        if ((await runStep(run, action.step)) === 'no-budget') return outOfTokens;
        break;
      case 'run-tools':
        await runToolCalls(run);
        break;
      case 'refuse-tools':
        await refuseToolCalls(run, action.reason);
        break;
      case 'end':
        return action.ending;
      default:
        return unreachable(action);
    }
  }
}
