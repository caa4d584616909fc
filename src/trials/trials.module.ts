import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { OptionsModule } from '../options/options.module.js';
import { ExtensionsModule } from '../tools/extensions/extensions.module.js';
import { ToolTrials } from './tool-trials.js';
import { TrialController } from './trial.controller.js';

/** The route by which an operator tries a tool. */
@Module({
  imports: [AccessModule, ExtensionsModule, OptionsModule],
  controllers: [TrialController],
  providers: [ToolTrials],
})
export class TrialsModule {}
