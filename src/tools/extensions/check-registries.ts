import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { defaultTriggers } from '../../governance/notices/triggers.js';
import type { Logger } from '../../platform/logger.js';
import { builtinTools } from '../builtin/builtin-tools.js';
import { ToolRegistry } from '../registry.js';
import { shellsOff } from '../shells.js';
import type { Registries } from './load-extensions.js';

/** The registries that extensions find in a server, for a process that checks them and runs nothing. */
export function registriesForCheck(logger: Logger): Registries {
  return {
    trees: new DecisionTrees(),
    tools: new ToolRegistry(builtinTools(shellsOff('the check runs no tool'))),
    triggers: [...defaultTriggers],
    authenticators: { register: () => undefined },
    logger,
  };
}
