import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { CustomAuthenticators } from '../../access/custom-authenticators.js';
import { CONFIG, type Config } from '../../config/config.js';
import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { GovernanceModule } from '../../governance/governance.module.js';
import { NoticesModule } from '../../governance/notices/notices.module.js';
import { TRIGGERS, type Trigger } from '../../governance/notices/trigger.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ToolRegistry } from '../registry.js';
import { ToolsModule } from '../tools.module.js';
import type { Extension } from './extend.js';
import { loadToolsFolder } from './tools-folder.js';
import {
  EXTENSIONS,
  HOST_EXTENSION,
  loadExtensions,
  registerExtension,
} from './load-extensions.js';

/** Loads what `TURNPIKE_EXTENSIONS` names into the registries. A start fails with ExtensionError. */
@Module({
  imports: [AccessModule, GovernanceModule, NoticesModule, ToolsModule],
  providers: [
    {
      provide: EXTENSIONS,
      inject: [
        CONFIG,
        ToolRegistry,
        DecisionTrees,
        TRIGGERS,
        CustomAuthenticators,
        LOGGER,
        { token: HOST_EXTENSION, optional: true },
      ],
      useFactory: async (
        { extensions, toolsDir, projectsDir, projectRoot, projectRoots }: Config,
        tools: ToolRegistry,
        trees: DecisionTrees,
        triggers: Trigger[],
        authenticators: CustomAuthenticators,
        logger: Logger,
        ofHost?: Extension,
      ) => {
        const registries = { tools, trees, triggers, authenticators, logger };
        if (ofHost !== undefined)
          await registerExtension('createTurnpike', 'its tools', ofHost, registries);
        await loadExtensions(extensions, registries);
        const written = [projectsDir, ...projectRoots];
        if (projectRoot !== undefined) written.push(projectRoot);
        if (toolsDir !== undefined) await loadToolsFolder(toolsDir, registries, written);
        return extensions;
      },
    },
  ],
  exports: [EXTENSIONS, GovernanceModule, NoticesModule, ToolsModule],
})
export class ExtensionsModule {}
