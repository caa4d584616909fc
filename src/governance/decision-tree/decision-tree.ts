import type { AgentConfig } from '../../storage/shapes/stored-limits.js';
import type { AgentState, TerminationReason } from './agent-state.js';

export interface ToolResult {
  name: string;
  /** The arguments, as the model gave them. */
  input: unknown;
  /** What the model is told. */
  output: string;
  isError: boolean;
}

export interface Continuation {
  shouldContinue: boolean;
  /** `continue`, a known reason, or the tree's own, which is what every wire then calls the end. */
  reason: TerminationReason | 'continue';
  /** A sentence without its full stop: what people read of a reason of the tree's own. */
  explanation?: string;
}

/**
 * How a loop is controlled. All four are pure: the time is in the state, and a state is made with
 * the tree's own config.
 */
export interface DecisionTree {
  /**
   * Whether another iteration may start. Ask when every result of the last iteration is in: half
   * an iteration looks like another one.
   */
  shouldContinue(state: AgentState): Continuation;
  /** Before every iteration. */
  onTurnStart(state: AgentState): AgentState;
  /** After every tool call, in any order among the calls of one iteration. */
  onToolResult(state: AgentState, result: ToolResult): AgentState;
  getConfig(): AgentConfig;
}
