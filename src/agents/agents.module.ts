import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { ExtensionsModule } from '../extensions/extensions.module.js';
import { EXTENSIONS } from '../extensions/load-extensions.js';
import { DecisionTrees } from '../governance/decision-tree/decision-trees.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { serverToolNames } from '../storage/shapes/stored-tools.js';
import { ToolRegistry } from '../tools/registry.js';
import { PersonaLibrary } from './persona-library.js';
import { openAgents } from './open-agents.js';

/** Longest time that an edit of an instruction file may stay unseen, in ms. */
const INSTRUCTIONS_FRESH_MS = 1_000;

/** The agents of the instruction root. A start fails with AgentsInvalidError. */
@Module({
  imports: [ExtensionsModule],
  providers: [
    {
      provide: PersonaLibrary,
      // Agents may name tools and trees of extensions.
      inject: [CONFIG, ToolRegistry, DecisionTrees, CLOCK, LOGGER, EXTENSIONS],
      useFactory: (
        { instructionRoot }: Config,
        tools: ToolRegistry,
        trees: DecisionTrees,
        clock: Clock,
        logger: Logger,
      ) =>
        openAgents(instructionRoot, {
          freshMs: INSTRUCTIONS_FRESH_MS,
          clock,
          // Whether a turn has a tool of the provider is decided when it runs: its model may lack it.
          knownTools: [...tools.list(), ...serverToolNames.map((name) => ({ name }))],
          knownTrees: trees.names(),
          onProblem: (file, problem) =>
            logger.warn({ file, problem }, 'an instruction file has a fault'),
        }),
    },
  ],
  exports: [PersonaLibrary],
})
export class AgentsModule {}
