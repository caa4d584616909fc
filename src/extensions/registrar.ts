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
import { isServerToolName } from '../provider/server-tools.js';
import type { ToolRegistry } from '../tools/registry.js';
import { ToolFailure } from '../tools/tool-failure.js';
import { checkTool, checkTrigger, expectFunction } from './check-shapes.js';
import { guardTool } from './guard-tool.js';
import { GuardedTree } from './guarded-tree.js';
import { guardTrigger } from './guard-trigger.js';

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
    if (typeof name !== 'string' || !/^[a-z0-9_-]{1,64}$/.test(name)) {
      throw new Error(`the name of a decision tree has 1 to 64 of a-z 0-9 _ -, not ${show(name)}`);
    }
    expectFunction(make, `the decision tree ${name}`);
    trees.register(name, (config) => {
      const onFault = (operation: string, error: unknown): void =>
        logger.error({ extension, decisionTree: name, operation, error }, 'a decision tree failed');
      const standard = new DefaultDecisionTree(config);
      return new GuardedTree({ extension, name, make, config, standard, onFault });
    });
  };
  const addTrigger = (trigger: ExtensionTrigger): void => {
    assertOpen();
    checkTrigger(trigger);
    if (triggers.some(({ id }) => id === trigger.id)) {
      throw new Error(`there is a trigger ${trigger.id} already`);
    }
    triggers.push(guardTrigger({ ...trigger, check: (facts) => trigger.check(facts) }));
  };
  const addTool = (tool: ExtensionTool): void => {
    assertOpen();
    checkTool(tool);
    if (isServerToolName(tool.name)) {
      throw new Error(`the tool name ${tool.name} is taken by a tool of the provider`);
    }
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

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value;
}
