import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import { changeState, frozen, type AgentState } from './agent-state.js';
import type { Continuation, DecisionTree, ToolResult } from './decision-tree.js';
import { recordToolResult } from './record-tool-result.js';
import { terminationChecks, type TerminationCheck } from '../limits/termination-checks.js';

/**
 * Continues until a termination check applies. A terminal state is left unchanged.
 *
 * @param checks tried in order, the first that applies decides; all checks by default.
 */
export class DefaultDecisionTree implements DecisionTree {
  readonly #config: Readonly<AgentConfig>;
  readonly #checks: readonly TerminationCheck[];

  constructor(
    config: Readonly<AgentConfig>,
    checks: readonly TerminationCheck[] = terminationChecks,
  ) {
    this.#config = frozen(config);
    this.#checks = checks;
  }

  shouldContinue(state: AgentState): Continuation {
    const reason =
      state.terminationReason ?? this.#checks.find((check) => check.applies(state))?.reason;
    return { shouldContinue: reason === undefined, reason: reason ?? 'continue' };
  }

  onTurnStart(state: AgentState): AgentState {
    return state.isTerminal ? state : changeState(state, { turn: state.turn + 1 });
  }

  onToolResult(state: AgentState, result: ToolResult): AgentState {
    return state.isTerminal ? state : recordToolResult(state, result);
  }

  getConfig(): AgentConfig {
    return this.#config;
  }
}
