import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import type { DecisionTree } from './decision-tree.js';
import { DefaultDecisionTree } from './default-decision-tree.js';
import { TypedError } from '../../errors/typed-error.js';

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
