import { Inject, Module } from '@nestjs/common';
import { AccessModule } from '../../access/face.js';
import { AgentsModule, SkillLibrary } from '../../agents/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { SessionModule } from '../../session/face.js';
import { AttemptModule, ToolSources } from '../../turn/face.js';
import { ProjectFilesController } from './project-files.controller.js';
import { parseProjectSkill, projectSource } from './project-source.js';

/** The name of the form, as `sessions.project_files` has it. */
const FORM = 'claude';

/** Routes that show what a project has for Claude Code. */
@Module({
  imports: [AccessModule, AgentsModule, SessionModule],
  controllers: [ProjectFilesController],
})
export class ProjectFilesApiModule {
  constructor(@Inject(CONFIG) { projectFiles }: Config, skills: SkillLibrary) {
    if (projectFiles !== 'none') skills.registerForm(FORM, parseProjectSkill);
  }
}

/** Turns that have the skills and commands of a project of Claude Code. */
@Module({ imports: [AgentsModule, AttemptModule] })
export class ProjectFilesModule {
  constructor(
    @Inject(CONFIG) { projectFiles }: Config,
    sources: ToolSources,
    skills: SkillLibrary,
  ) {
    if (projectFiles === 'none') return;
    sources.register(projectSource);
    skills.registerForm(FORM, parseProjectSkill);
  }
}
