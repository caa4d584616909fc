import { Module } from '@nestjs/common';
import { AgentsModule, SkillLibrary } from '../../agents/face.js';
import { ToolRegistry, ToolsModule } from '../../tools/face.js';
import { AttemptModule, ToolSources } from '../../turn/face.js';
import { skillSource } from './skill-source.js';

/** Turns that load skills. */
@Module({ imports: [AgentsModule, AttemptModule, ToolsModule] })
export class SkillsModule {
  constructor(sources: ToolSources, skills: SkillLibrary, registry: ToolRegistry) {
    sources.register(skillSource(skills, registry));
  }
}
