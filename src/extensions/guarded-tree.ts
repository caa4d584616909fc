import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import { changeState, type AgentState } from '../governance/decision-tree/agent-state.js';
import type {
  Continuation,
  DecisionTree,
  ToolResult,
} from '../governance/decision-tree/decision-tree.js';
import type { MakeDecisionTree } from '../extend/extend.js';
import { checkConfig, checkContinuation, isPromise } from './check-answers.js';
import { extensionFailure } from './extension-error.js';

export interface GuardedTreeOptions {
  extension: string;
  name: string;
  make: MakeDecisionTree;
  config: Readonly<AgentConfig>;
  /** What the loop is kept consistent with when the tree fails. */
  standard: DecisionTree;
  /** Hears of the first fault. */
  onFault(operation: string, error: unknown): void;
}

/**
 * An extension's tree, as the loop can rely on it. Whatever it throws or gives that is no answer is
 * told once; the state then goes on as the standard tree has it, so that what is stored stays
 * readable, and `shouldContinue` throws a typed error, which ends the turn.
 */
export class GuardedTree implements DecisionTree {
  readonly #options: GuardedTreeOptions;
  readonly #tree: DecisionTree | undefined;
  readonly #config: Readonly<AgentConfig>;
  /** The operation that failed first. */
  #failed: string | undefined;

  constructor(options: GuardedTreeOptions) {
    this.#options = options;
    const { make, config, standard } = options;
    this.#tree = this.#attempt('make', () => refusePromise(make(config, standard)));
    this.#config =
      this.#attempt('getConfig', () => checkConfig(refusePromise(this.#tree?.getConfig()))) ??
      standard.getConfig();
  }

  /** @throws TypedError EXTENSION_FAILURE 500 from the first fault on. */
  shouldContinue(state: AgentState): Continuation {
    const answer = this.#attempt('shouldContinue', () =>
      checkContinuation(refusePromise(this.#tree?.shouldContinue(state)), state),
    );
    if (answer !== undefined && this.#failed === undefined) return answer;
    const { extension, name } = this.#options;
    const operation = this.#failed ?? 'shouldContinue';
    throw extensionFailure({ extension, part: `decision tree "${name}"`, operation });
  }

  onTurnStart(state: AgentState): AgentState {
    return this.#advance('onTurnStart', state, (tree) => tree.onTurnStart(state));
  }

  onToolResult(state: AgentState, result: ToolResult): AgentState {
    return this.#advance('onToolResult', state, (tree) => tree.onToolResult(state, result));
  }

  getConfig(): AgentConfig {
    return this.#config;
  }

  /** What the server counts stays as it was: a tree changes what it decides from, not what was spent. */
  #advance(
    operation: string,
    state: AgentState,
    act: (tree: DecisionTree) => AgentState,
  ): AgentState {
    const { userId, projectId, startTime, now, tokensUsed, cost, config } = state;
    const counted = { userId, projectId, startTime, now, tokensUsed, cost, config };
    const tree = this.#failed === undefined ? this.#tree : undefined;
    const next = this.#attempt(operation, () => {
      if (tree === undefined) return undefined;
      const given: unknown = refusePromise(act(tree));
      if (typeof given !== 'object' || given === null) throw new Error('it gave no state');
      return changeState(state, { ...given, ...counted });
    });
    return next ?? act(this.#options.standard);
  }

  #attempt<T>(operation: string, act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      if (this.#failed === undefined) this.#options.onFault(operation, error);
      this.#failed ??= operation;
      return undefined;
    }
  }
}

/** A promise that nobody waits for would end the process when it is rejected. */
function refusePromise<T>(value: T): T {
  if (!isPromise(value)) return value;
  void value.then(undefined, () => undefined);
  throw new Error('it gave a promise: a tree answers at once');
}
