import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { SkillLibrary } from './skill-library.js';

/** The skills of the server, of its agents and of projects. */
@Module({
  providers: [
    {
      provide: SkillLibrary,
      inject: [CONFIG, CLOCK, LOGGER],
      useFactory: ({ instructionRoot, projectSkills }: Config, clock: Clock, logger: Logger) =>
        new SkillLibrary({
          instructionRoot,
          hasProjectSkills: projectSkills,
          clock,
          onProblem: (file, problem) =>
            logger.warn({ file, problem }, 'an instruction file has a fault'),
        }),
    },
  ],
  exports: [SkillLibrary],
})
export class SkillsModule {}
