import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import { TypedError } from '../../errors/typed-error.js';
import { terminationChecks, type TerminationCheck } from '../limits/termination-checks.js';
import { describeAction, signAction, signOutcome } from '../limits/no-progress.js';
import { cutText } from '../../platform/text/cut-text.js';
import {
  type AgentState,
  type TerminationReason,
  changeState,
  frozen,
  type ActionRecord,
} from './agent-state.js';

export type DecisionTreeFactory = (config: AgentConfig) => DecisionTree;

/** Registry of the decision trees that an agent may name. `default` is always registered. */
export class DecisionTrees {
  readonly #factories = new Map<string, DecisionTreeFactory>([
    ['default', (config) => new DefaultDecisionTree(config)],
  ]);

  /** @throws Error when the name is taken. */
  register(name: string, factory: DecisionTreeFactory): void {
    if (this.#factories.has(name))
      throw new Error(`A decision tree ${JSON.stringify(name)} is registered already`);
    this.#factories.set(name, factory);
  }

  names(): string[] {
    return [...this.#factories.keys()];
  }

  /** @throws TypedError `DECISION_TREE_NOT_FOUND`, and what the tree's factory throws for the config. */
  assertUsable(name: string, config: AgentConfig): void {
    const make = this.#factories.get(name);
    if (make === undefined) throw decisionTreeNotFound(name, this.names());
    make(config);
  }

  /**
   * The tree of that name, or the default where this process lacks it: a turn that another process
   * accepted must be able to end.
   */
  find(name: string, config: AgentConfig): DecisionTree {
    const make = this.#factories.get(name);
    return make === undefined ? new DefaultDecisionTree(config) : make(config);
  }
}

/** The error of an agent that names an unregistered tree: the server's set-up is at fault. */
function decisionTreeNotFound(name: string, known: readonly string[]): TypedError {
  return new TypedError('DECISION_TREE_NOT_FOUND', {
    message: `There is no decision tree ${JSON.stringify(name)}. Use one of: ${known.join(', ')}; or register it before the server starts.`,
    details: { name, known },
  });
}

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
