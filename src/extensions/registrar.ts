import type {
  ExtensionTool,
  ExtensionTrigger,
  MakeDecisionTree,
  Turnpike,
} from '../extend/extend.js';
import { changeState } from '../governance/decision-tree/agent-state.js';
import type { DecisionTrees } from '../governance/decision-tree/decision-trees.js';
import { DefaultDecisionTree } from '../governance/decision-tree/default-decision-tree.js';
import type { Trigger } from '../notices/trigger.js';
import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';
import type { Logger } from '../platform/logger.js';
import type { ToolRegistry } from '../tools/registry.js';
import { ToolFailure } from '../tools/tool-failure.js';
import { expectShape } from './expect-shape.js';
import { guardTool } from './guard-tool.js';
import { GuardedTree } from './guarded-tree.js';
import { guardTrigger } from './guard-trigger.js';
import { functionShape, toolShape, treeName, triggerShape } from './registered-shapes.js';

/** The registries that extensions add to. */
export interface Registries {
  trees: DecisionTrees;
  tools: ToolRegistry;
  /** Built-in triggers and those of extensions so far; appended to. */
  triggers: Trigger[];
  logger: Logger;
}

/** The interface that an extension registers through, until `close`. */
export function openRegistrar(
  extension: string,
  { trees, tools, triggers, logger }: Registries,
): { turnpike: Turnpike; close(): void } {
  let isOpen = true;
  const assertOpen = (): void => {
    if (!isOpen) throw new Error('an extension registers before its function is done, not later');
  };
  const addDecisionTree = (name: string, make: MakeDecisionTree): void => {
    assertOpen();
    expectShape(treeName, name, 'the name of a decision tree');
    expectShape(functionShape, make, `the decision tree ${name}`);
    trees.register(name, (config) => {
      const onFault = (operation: string, error: unknown): void =>
        logger.error({ extension, decisionTree: name, operation, error }, 'a decision tree failed');
      const standard = new DefaultDecisionTree(config);
      return new GuardedTree({ extension, name, make, config, standard, onFault });
    });
  };
  const addTrigger = (trigger: ExtensionTrigger): void => {
    assertOpen();
    expectShape(triggerShape, trigger, nameOf('trigger', trigger?.id));
    if (triggers.some(({ id }) => id === trigger.id)) {
      throw new Error(`there is a trigger ${trigger.id} already`);
    }
    triggers.push(guardTrigger({ ...trigger, check: (facts) => trigger.check(facts) }));
  };
  const addTool = (tool: ExtensionTool): void => {
    assertOpen();
    expectShape(toolShape, tool, nameOf('tool', tool?.name));
    const onFault = (name: string, error: unknown): void =>
      logger.error({ extension, tool: name, error }, 'a tool of an extension failed');
    tools.register(guardTool(snapshotOf(tool), onFault), 'extension');
  };
  const turnpike: Turnpike = Object.freeze({
    version: 1,
    addDecisionTree,
    addTrigger,
    addTool,
    changeState,
    ToolFailure,
  });
  return { turnpike, close: () => void (isOpen = false) };
}

/** A copy that later changes of the tool do not reach; `run` stays a method of the original object. */
function snapshotOf(tool: ExtensionTool): ExtensionTool {
  const { name, description, inputSchema, effect, retry, permissionArgument } = tool;
  return {
    name,
    description,
    inputSchema: structuredClone(inputSchema),
    ...compact({
      effect,
      retry,
      permissionArgument: isPlainObject(permissionArgument) ? permissionArgument : undefined,
    }),
    run: (input, call) => tool.run(input, call),
  };
}

/** A name for messages, also where an extension gives none. */
function nameOf(kind: string, name: unknown): string {
  return typeof name === 'string' ? `the ${kind} ${name}` : `a ${kind}`;
}
