import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { OptionsModule } from '../../options/options.module.js';
import { ToolRegistry } from '../../tools/registry.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { AttemptModule } from '../attempt/attempt.module.js';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ToolSources } from '../state/tool-source.js';
import { Delegator } from './delegator.js';
import { taskSource } from './task-source.js';

/** Turns that delegate work to other agents. */
@Module({
  imports: [AgentsModule, AttemptModule, LifecycleModule, OptionsModule, QueueModule, ToolsModule],
  providers: [Delegator],
  exports: [Delegator],
})
export class SubagentsModule {
  constructor(sources: ToolSources, personas: PersonaLibrary, registry: ToolRegistry) {
    sources.register(taskSource(personas, registry));
  }
}
