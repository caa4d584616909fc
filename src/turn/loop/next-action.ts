import { assertNever } from '../../platform/assert-never.js';
import { compact } from '../../platform/compact.js';
import type { StepStopReason } from '../../storage/shapes/stored-step.js';
import type { TurnOutcome } from '../../events/turn-event.js';
import type { JsonObject } from '../../platform/json.js';
import type { OutputState } from './output-object.js';
import type { StopReason } from '../../provider/model-types.js';

/** The facts of a turn that decide how it goes on, of a running turn as of a recovered one. */
export interface DecisionInput {
  /** Steps that are stored. */
  steps: number;
  /** The limit that allows no further model call, under the name its end is known by. */
  limit: NextLimit | undefined;
  /** The limit that leaves one call, without tools, and whether that call is the last stored step. */
  lastCall: { limit: NextLimit; isDone: boolean } | undefined;
  /** The last stored step's; undefined before the first. */
  stopReason: StepStopReason | undefined;
  /** Tool calls of the last step that have no result yet. */
  openCalls: number;
  /** Whether the request could be shorter. */
  canShorten: boolean;
  /** Messages of the user's that no stored reply had before it. */
  unanswered: number;
  /** The object of the last reply, where the turn is to end with one; undefined also while tools are open. */
  output: OutputState | undefined;
}

export interface NextLimit {
  reason: string;
  /** The result of the calls that are still open, for the model. */
  refusal: string;
  /** Text for people, where the reason is a decision tree's own. */
  explanation?: string;
}

export interface Ending {
  outcome: TurnOutcome;
  exitCode: number;
  /** Machine-readable. */
  reason: string;
  /** Text for people, where the reason is a decision tree's own. */
  explanation?: string;
  /** The object of a turn that ended with one. */
  output?: JsonObject;
}

type CutReason = 'max_tokens' | 'context_window' | 'refusal';

export type NextAction =
  | { type: 'call-model'; step: number }
  /** A call without tools: the model answers with what it has. */
  | { type: 'call-last'; step: number }
  | { type: 'run-tools' }
  /** Every call gets a result with the reason: a model must see one for each. */
  | { type: 'refuse-tools'; reason: string }
  /** The reply is not the object that was asked for, and the model is to be told why. */
  | { type: 'ask-again'; step: number; faults: string }
  /** It was none once too often. */
  | { type: 'give-up'; step: number; faults: string }
  | { type: 'end'; ending: Ending };

const completed = (reason: string): NextAction =>
  end({ outcome: 'completed', exitCode: 0, reason });
const limited = (reason: string): NextAction => end({ outcome: 'limited', exitCode: 0, reason });

/** Decides what `runTurn` does next. Pure. */
export function nextAction(state: DecisionInput): NextAction {
  const { stopReason, limit, lastCall, openCalls } = state;
  if (stopReason === undefined) return callAgain(state);
  if (lastCall?.isDone === true) return afterLastCall(state, stopReason, lastCall.limit);
  switch (stopReason) {
    case 'tool_use':
      if (openCalls === 0) return callAgain(state);
      if (limit === undefined) return { type: 'run-tools' };
      // Results would reach nobody: the model is not called again.
      return { type: 'refuse-tools', reason: `not run: ${limit.refusal}` };
    case 'pause_turn':
      return openCalls > 0 ? { type: 'run-tools' } : callAgain(state);
    case 'end_turn':
    case 'stop_sequence':
      if (state.unanswered > 0 && limit === undefined) return callAgain(state);
      return state.output === undefined
        ? completed(stopReason)
        : afterOutput(state, state.output, stopReason);
    case 'max_tokens':
    case 'context_window':
    case 'refusal':
      return afterCut(state, stopReason);
    case 'interrupted':
    case 'failed':
      // A turn that was cut has ended; its steps are never continued.
      return end({ outcome: 'failed', exitCode: 1, reason: stopReason });
    default:
      return assertNever(stopReason);
  }
}

/** A turn that is to end with an object completes with it, or not at all. */
function afterOutput(state: DecisionInput, output: OutputState, reason: string): NextAction {
  const { steps: step, limit } = state;
  switch (output.type) {
    case 'valid':
      return end({ outcome: 'completed', exitCode: 0, reason, output: output.output });
    case 'missed':
      return limit === undefined
        ? { type: 'ask-again', step, faults: output.faults }
        : endAt(limit);
    case 'asked':
      return callAgain(state);
    case 'spent':
      return { type: 'give-up', step, faults: output.faults };
    default:
      return assertNever(output);
  }
}

function afterCut(state: DecisionInput, stopReason: CutReason): NextAction {
  // A cut-off call may lack half of its input: it is answered, never run.
  if (state.openCalls > 0)
    return { type: 'refuse-tools', reason: `not run: the reply was cut off (${stopReason})` };
  // A reply that filled the window goes on once the request is shorter.
  if (stopReason === 'context_window' && state.canShorten) return callAgain(state);
  // A reply that its budget cut before any text has a last call left.
  if (stopReason === 'max_tokens' && state.lastCall !== undefined) return callAgain(state);
  return limited(stopReason === 'max_tokens' ? (state.limit?.reason ?? stopReason) : stopReason);
}

function callAgain({ steps, limit, lastCall }: DecisionInput): NextAction {
  if (limit !== undefined) return endAt(limit);
  return { type: lastCall === undefined ? 'call-model' : 'call-last', step: steps + 1 };
}

function endAt({ reason, explanation }: NextLimit, output?: JsonObject): NextAction {
  return end({ outcome: 'limited', exitCode: 0, reason, ...compact({ explanation, output }) });
}

/** The turn ends at its limit, whatever its last reply was: with the object, if the reply is it. */
function afterLastCall(
  { openCalls, output }: DecisionInput,
  stopReason: StepStopReason,
  limit: NextLimit,
): NextAction {
  // The notice of the last call rules tools out.
  if (openCalls > 0) return { type: 'refuse-tools', reason: `not run: ${limit.refusal}` };
  switch (stopReason) {
    case 'refusal':
    case 'context_window':
      return limited(stopReason);
    case 'interrupted':
    case 'failed':
      return end({ outcome: 'failed', exitCode: 1, reason: stopReason });
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause_turn':
    case 'max_tokens':
      return output?.type === 'valid' ? endAt(limit, output.output) : endAt(limit);
    default:
      return assertNever(stopReason);
  }
}

function end(ending: Ending): NextAction {
  return { type: 'end', ending };
}

/**
 * The stop reason a step is stored with: where the provider's reason and the reply's content
 * differ, the content decides, or a call would wait for ever for its result.
 */
export function settleStopReason(reason: StopReason, asksForTools: boolean): StopReason {
  if (reason === 'tool_use' && !asksForTools) return 'end_turn';
  if (asksForTools && (reason === 'end_turn' || reason === 'stop_sequence')) return 'tool_use';
  return reason;
}
