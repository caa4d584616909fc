import { unreachable } from '../platform/exhaustive.js';
import { nextAction, type Ending } from './next-action.js';
import { refuseToolCalls, runToolCalls } from './run-tool-calls.js';
import { runStep } from './run-step.js';
import { openCalls, type TurnRun } from './turn-run.js';

/**
 * The loop: asks what is next, does it, until the turn has an ending. A recovered turn comes in
 * with the steps that are stored and goes on from there.
 *
 * @throws LeaseEndedError when the lease ends; TypedError when the provider fails.
 */
export async function runTurn(run: TurnRun): Promise<Ending> {
  for (;;) {
    run.lease.signal.throwIfAborted();
    const last = run.progress.steps.at(-1);
    const action = nextAction({
      steps: run.progress.steps.length,
      maxTurns: run.turn.options.options.maxTurns,
      stopReason: last?.stopReason,
      openCalls: openCalls(run).length,
    });
    switch (action.type) {
      case 'call-model':
        await runStep(run, action.step);
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
