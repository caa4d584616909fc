import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { SkillLibrary } from '../../agents/skill-library.js';
import { ToolRegistry } from '../../tools/registry.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { AttemptModule } from '../../turn/attempt/attempt.module.js';
import { ToolSources } from '../../turn/state/tool-source.js';
import { skillSource } from './skill-source.js';

/** Turns that load skills. */
@Module({ imports: [AgentsModule, AttemptModule, ToolsModule] })
export class SkillsModule {
  constructor(sources: ToolSources, skills: SkillLibrary, registry: ToolRegistry) {
    sources.register(skillSource(skills, registry));
  }
}
