import { describeAction, signAction, signOutcome } from '../limits/action-signature.js';
import { changeState, type ActionRecord, type AgentState } from './agent-state.js';
import { cutText } from '../../platform/text/cut-text.js';
import type { ToolResult } from './decision-tree.js';

const keptTurns = 12;
/**
 * 12 iterations of as many calls as a config allows; bounds a state whose iterations were never
 * started.
 */
const keptActions = 240;
const errorLength = 500;

/**
 * The transition that every tree makes for a result: records the action, counts consecutive errors.
 */
export function recordToolResult(state: AgentState, result: ToolResult): AgentState {
  const { name, input, output, isError } = result;
  const record: ActionRecord = Object.freeze({
    turn: state.turn,
    tool: name,
    signature: signAction(name, input),
    action: describeAction(name, input),
    outcome: signOutcome(output, isError),
    isError,
  });
  return changeState(state, {
    actions: lastTurns([...state.actions, record]),
    toolErrors: isError ? state.toolErrors + 1 : 0,
    lastError: isError ? cutText(output, errorLength) : undefined,
  });
}

function lastTurns(actions: readonly ActionRecord[]): ActionRecord[] {
  const kept = [...new Set(actions.map(({ turn }) => turn))].slice(-keptTurns);
  return actions.filter(({ turn }) => kept.includes(turn)).slice(-keptActions);
}
