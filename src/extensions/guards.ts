import type { AgentConfig } from '../storage/shapes/stored-limits.js';
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
  /** The tree that keeps the state consistent when the extension's fails. */
  standard: DecisionTree;
  /** Called with the first fault. */
  onFault(operation: string, error: unknown): void;
}

/**
 * Guards an extension's tree for the loop. The first error or invalid answer is reported; from then on the
 * standard tree advances the state, so that stored rows stay consistent, and `shouldContinue` throws a
 * typed error, which ends the turn.
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

  /**
   * Advances the state by the tree. Fields that the server counts stay as they were: a tree does
   * not change what was spent.
   */
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

/** Refuses a promise, whose rejection nobody would handle and which would end the process. */
function refusePromise<T>(value: T): T {
  if (!isPromise(value)) return value;
  void value.then(undefined, () => undefined);
  throw new Error('it gave a promise: a tree answers at once');
}
