import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { withTimeout } from '../../platform/async/deadlines.js';
import { changeState } from '../../governance/decision-tree/agent-state.js';
import {
  type DecisionTrees,
  DefaultDecisionTree,
} from '../../governance/decision-tree/decision-trees.js';
import type { Trigger } from '../../governance/notices/trigger.js';
import type { CustomAuthenticators } from '../../access/custom-authenticators.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import type { Logger } from '../../platform/logger.js';
import type { ToolRegistry } from '../registry.js';
import { ToolFailure } from '../tool.js';
import type {
  Authenticate,
  Extension,
  ExtensionTool,
  ExtensionTrigger,
  MakeDecisionTree,
  Turnpike,
} from './extend.js';
import {
  authenticatorName,
  ExtensionError,
  type ExtensionSource,
  expectShape,
  expectTool,
  functionShape,
  treeName,
  triggerShape,
} from './extension-shapes.js';
import { explainLoadFailure, messageOf, toFile, toSpecifier } from './explain-load-failure.js';
import { countLoaded, loadedSince, prepareModules } from './module-hooks.js';
import { guardAuthenticator, guardTool, GuardedTree, guardTrigger } from './guards.js';

/** Time limit for an extension to register, in ms. */
const REGISTER_MS = 30_000;

/**
 * Loads the modules of `TURNPIKE_EXTENSIONS` and lets each register its additions, one after the other.
 * Extensions have all rights of this process.
 *
 * @param names files (`./x.mjs`, `/x.mjs`, `file:` URLs; relative to the working directory), or packages
 *   installed beside the server.
 * @throws ExtensionError for the first module that cannot be loaded, or registers something invalid.
 */
export async function loadExtensions(
  names: readonly string[],
  registries: Registries,
): Promise<void> {
  for (const name of names) {
    await registerExtension('TURNPIKE_EXTENSIONS', name, await loadModule(name), registries);
    registries.logger.info({ extension: name }, 'loaded an extension');
  }
}

/** Lets an extension register its additions. @throws ExtensionError where one is invalid. */
export async function registerExtension(
  source: ExtensionSource,
  name: string,
  extension: Extension,
  registries: Registries,
): Promise<void> {
  const { turnpike, close } = openRegistrar(name, registries);
  try {
    const registering = Promise.resolve(extension(turnpike));
    if (!(await withTimeout(REGISTER_MS, registering))) {
      throw new Error(`it was not done registering after ${REGISTER_MS / 1_000} seconds`);
    }
  } catch (error) {
    throw new ExtensionError(source, name, messageOf(error), { cause: error });
  } finally {
    close();
  }
}

async function loadModule(name: string): Promise<Extension> {
  const exported = await importDefault('TURNPIKE_EXTENSIONS', name);
  if (typeof exported === 'function') return exported as Extension;
  throw new ExtensionError(
    'TURNPIKE_EXTENSIONS',
    name,
    'its default export must be a function, as `export default (turnpike) => {…}`',
  );
}

/** The default export of a module. @throws ExtensionError where it cannot be loaded. */
export async function importDefault(source: ExtensionSource, name: string): Promise<unknown> {
  const file = toFile(name);
  if (file !== undefined) {
    const real = await realpath(path.dirname(file)).catch(() => path.dirname(file));
    prepareModules(real);
  }
  const before = countLoaded();
  try {
    return ((await import(toSpecifier(name))) as { default?: unknown }).default;
  } catch (error) {
    const { fault, place } = explainLoadFailure(file, error, loadedSince(before));
    throw new ExtensionError(source, name, fault, { cause: error, ...compact({ place }) });
  }
}

/** Injects the names of the extensions, once each has registered its additions. */
export const EXTENSIONS = Symbol('Extensions');

/** Injects what a host application adds; without a host there is no such provider. */
export const HOST_EXTENSION = Symbol('HostExtension');

/** The registries that extensions add to. */
export interface Registries {
  trees: DecisionTrees;
  tools: ToolRegistry;
  authenticators: Pick<CustomAuthenticators, 'register'>;
  /** Built-in triggers and those of extensions so far; appended to. */
  triggers: Trigger[];
  logger: Logger;
}

/** The interface that an extension registers through, until `close`. */
function openRegistrar(
  extension: string,
  registries: Registries,
): { turnpike: Turnpike; close(): void } {
  let isOpen = true;
  const whileOpen =
    <Added extends unknown[]>(add: (...added: Added) => void) =>
    (...added: Added): void => {
      if (!isOpen) throw new Error('an extension registers before its function is done, not later');
      add(...added);
    };
  const turnpike: Turnpike = Object.freeze({
    version: 1,
    addDecisionTree: whileOpen(treeAdder(extension, registries)),
    addTrigger: whileOpen(triggerAdder(registries)),
    addAuthenticator: whileOpen(authenticatorAdder(extension, registries)),
    addTool: whileOpen(toolAdder(extension, registries)),
    changeState,
    ToolFailure,
  });
  return { turnpike, close: () => void (isOpen = false) };
}

function treeAdder(extension: string, { trees, logger }: Registries): Turnpike['addDecisionTree'] {
  return (name: string, make: MakeDecisionTree) => {
    expectShape(treeName, name, 'the name of a decision tree');
    expectShape(functionShape, make, `the decision tree ${name}`);
    trees.register(name, (config) => {
      const onFault = (operation: string, error: unknown): void =>
        logger.error(
          { extension, decisionTree: name, operation, error },
          "an extension's decision tree failed; the turn ends with an error",
        );
      const standard = new DefaultDecisionTree(config);
      return new GuardedTree({ extension, name, make, config, standard, onFault });
    });
  };
}

function triggerAdder({ triggers }: Registries): Turnpike['addTrigger'] {
  return (trigger: ExtensionTrigger) => {
    expectShape(triggerShape, trigger, nameOf(trigger?.id));
    if (triggers.some(({ id }) => id === trigger.id)) {
      throw new Error(`there is a trigger ${trigger.id} already`);
    }
    triggers.push(guardTrigger({ ...trigger, check: (facts) => trigger.check(facts) }));
  };
}

function authenticatorAdder(
  extension: string,
  { authenticators, logger }: Registries,
): Turnpike['addAuthenticator'] {
  return (name: string, authenticate: Authenticate) => {
    expectShape(authenticatorName, name, 'the name of an authenticator');
    expectShape(functionShape, authenticate, `the authenticator ${name}`);
    const onFault = (error: unknown): void =>
      logger.error(
        { extension, authenticator: name, error },
        "an extension's authenticator failed; the request is refused with 401",
      );
    authenticators.register(name, guardAuthenticator(name, authenticate, onFault));
  };
}

function toolAdder(extension: string, { tools, logger }: Registries): Turnpike['addTool'] {
  return (tool: ExtensionTool) => {
    expectTool(tool);
    const onFault = (name: string, error: unknown): void =>
      logger.error(
        { extension, tool: name, error },
        "an extension's tool failed; the model gets an error as its result",
      );
    tools.register(guardTool(snapshotOf(tool), onFault), 'extension');
  };
}

/** A copy that later changes of the tool do not reach; `run` stays a method of the original object. */
function snapshotOf(tool: ExtensionTool): ExtensionTool {
  const { name, description, inputSchema, effect, retry, permissionArgument, timeoutMs } = tool;
  return {
    name,
    description,
    inputSchema: structuredClone(inputSchema),
    ...compact({
      effect,
      retry,
      timeoutMs,
      permissionArgument: isPlainObject(permissionArgument) ? permissionArgument : undefined,
    }),
    run: (input, call) => tool.run(input, call),
  };
}

/** The name of a trigger for messages, also where an extension gives none. */
function nameOf(id: unknown): string {
  return typeof id === 'string' ? `the trigger ${id}` : 'a trigger';
}
