import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import type { AgentState, TerminationReason } from './agent-state.js';

export interface ToolResult {
  name: string;
  /** Arguments as the model sent them. */
  input: unknown;
  /** The result's text for the model. */
  output: string;
  isError: boolean;
}

export interface Continuation {
  shouldContinue: boolean;
  /** `continue`, a known reason, or the tree's own, which the wires then report as the reason. */
  reason: TerminationReason | 'continue';
  /** A clause for people that explains the tree's own reason, without its full stop. */
  explanation?: string;
}

/**
 * Controls a loop. The methods are pure: time is a field of the state, which was made with the
 * tree's own config.
 */
export interface DecisionTree {
  /**
   * Decides whether another iteration may start. Call it when all results of the last iteration are
   * recorded: an incomplete iteration looks like a different one.
   */
  shouldContinue(state: AgentState): Continuation;
  /** Called before every iteration. */
  onTurnStart(state: AgentState): AgentState;
  /** Called after every tool call, in any order within an iteration. */
  onToolResult(state: AgentState, result: ToolResult): AgentState;
  getConfig(): AgentConfig;
}
