import { Inject, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { ExtensionsModule } from '../tools/extensions/extensions.module.js';
import { EXTENSIONS } from '../tools/extensions/load-extensions.js';
import { DecisionTrees } from '../governance/decision-tree/decision-trees.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { serverToolNames } from '../storage/shapes/stored-options.js';
import { ToolRegistry } from '../tools/registry.js';
import type { AgentDefinition } from './define-agent.js';
import { agentsOfHost, HOST_AGENTS, loadDefinedAgents } from './defined-agents.js';
import { SkillLibrary } from './skill-library.js';
import { InstructionWatch } from './instruction-watch.js';
import { PersonaLibrary, openAgents } from './persona-library.js';

/** Longest time that an edit of an instruction file may stay unseen, in ms. */
const INSTRUCTIONS_FRESH_MS = 1_000;

const warnOfFault =
  (logger: Logger) =>
  (file: string, problem: string): void =>
    logger.warn(
      { file, problem },
      'an instruction file has a fault; the last good version stays in use, or the file is left out if there is none. Correct it',
    );

/** The agents of the instruction root, and the skills. A start fails with AgentsInvalidError. */
@Module({
  imports: [ExtensionsModule],
  providers: [
    {
      provide: SkillLibrary,
      inject: [CONFIG, CLOCK, LOGGER],
      useFactory: ({ instructionRoot, projectSkills }: Config, clock: Clock, logger: Logger) =>
        new SkillLibrary({
          instructionRoot,
          hasProjectSkills: projectSkills,
          clock,
          onProblem: warnOfFault(logger),
        }),
    },
    {
      provide: PersonaLibrary,
      // Agents may name tools and trees of extensions.
      inject: [
        CONFIG,
        ToolRegistry,
        DecisionTrees,
        CLOCK,
        LOGGER,
        SkillLibrary,
        EXTENSIONS,
        { token: HOST_AGENTS, optional: true },
      ],
      useFactory: async (
        config: Config,
        tools: ToolRegistry,
        trees: DecisionTrees,
        clock: Clock,
        logger: Logger,
        skills: SkillLibrary,
        _extensions: unknown,
        ofHost: readonly AgentDefinition[] = [],
      ) => {
        const defined = [...agentsOfHost(ofHost), ...(await loadDefinedAgents(config))];
        const library = await openAgents(config.instructionRoot, {
          defined,
          freshMs: INSTRUCTIONS_FRESH_MS,
          clock,
          // Whether a turn has a tool of the provider is decided when it runs: its model may lack it.
          knownTools: [...tools.list(), ...serverToolNames.map((name) => ({ name }))],
          knownTrees: trees.names(),
          onProblem: warnOfFault(logger),
        });
        // A skill with a fault is left out; it keeps no server from its start.
        await skills.check(await library.personas());
        return library;
      },
    },
  ],
  exports: [PersonaLibrary, SkillLibrary],
})
export class AgentsModule implements OnModuleInit, OnModuleDestroy {
  readonly #watch: InstructionWatch;

  constructor(
    agents: PersonaLibrary,
    skills: SkillLibrary,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#watch = new InstructionWatch(agents, skills, clock, logger);
  }

  onModuleInit(): void {
    this.#watch.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#watch.stop();
  }
}
