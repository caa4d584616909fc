import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { Authenticator } from '../access/authenticator.js';
import { KeyStore } from '../access/keys/key-store.js';
import { CONFIG, type Config } from '../config/config.js';
import { OWN_PATHS, type OwnPaths } from '../governance/permissions/own-paths.js';
import { OptionsModule } from '../options/options.module.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { isLoopback } from '../platform/net/addresses.js';
import { ProviderModule } from '../provider/provider.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ClaudeProjects } from './claude-projects.js';
import { SessionTermsChecker } from './session-terms.js';
import { ProjectRoots } from './project-roots.js';
import { SessionListController, SessionController, TodoController } from './session.controller.js';
import { SessionService } from './session-service.js';
import { SessionStore } from './session-store.js';
import { AgentsModule } from '../agents/agents.module.js';
import { PromptController } from './prompt.controller.js';
import { SkillController } from './skill.controller.js';

/** Conversations, and the folders that they work in. */
@Module({
  imports: [AccessModule, OptionsModule, ProviderModule, ToolsModule],
  providers: [
    SessionStore,
    SessionService,
    SessionTermsChecker,
    ClaudeProjects,
    {
      provide: ProjectRoots,
      inject: [CONFIG, OWN_PATHS, CLOCK, KeyStore, Authenticator, ClaudeProjects],
      useFactory: (
        config: Config,
        ownPaths: OwnPaths,
        clock: Clock,
        keys: KeyStore,
        authenticator: Authenticator,
        files: ClaudeProjects,
      ) =>
        new ProjectRoots({
          instructionRoot: config.instructionRoot,
          ownPaths,
          projectsDir: config.projectsDir,
          sharedRoot: config.projectRoot,
          listed: config.projectRoots,
          roleRoots: authenticator.roleRoots,
          isOpenWithoutKey: isLoopback(config.host),
          quotaMb: config.projectMb,
          clock,
          files,
          loadKeyRoots: () => keys.roots(),
          isOpen: async () => (await authenticator.deployment()).isOpen,
        }),
    },
  ],
  exports: [SessionStore, SessionService, SessionTermsChecker, ProjectRoots],
})
export class SessionModule {}

/** The routes of sessions. */
@Module({
  imports: [AccessModule, AgentsModule, SessionModule, ToolsModule],
  controllers: [
    SessionController,
    SessionListController,
    PromptController,
    SkillController,
    TodoController,
  ],
})
export class SessionApiModule {}
