import type { AgentConfig } from '../../storage/shapes/stored-limits.js';
import type { DecisionTree } from './decision-tree.js';
import { DefaultDecisionTree } from './default-decision-tree.js';
import { decisionTreeNotFound } from '../governance-errors.js';

export type DecisionTreeFactory = (config: AgentConfig) => DecisionTree;

/** The trees an agent may choose from by name. `default` is there from the start. */
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

  /**
   * For what must go on whatever an agent's file says: the tree of that name, else the default.
   * Whether there is one is checked where the turn is accepted.
   */
  find(name: string, config: AgentConfig): DecisionTree {
    return this.create(this.#factories.has(name) ? name : 'default', config);
  }

  /** @throws TypedError `DECISION_TREE_NOT_FOUND`. */
  create(name: string, config: AgentConfig): DecisionTree {
    const factory = this.#factories.get(name);
    if (factory === undefined) throw decisionTreeNotFound(name, this.names());
    return factory(config);
  }
}
