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
import { EXTENSIONS, loadExtensions } from './load-extensions.js';

/** Loads what `TURNPIKE_EXTENSIONS` names into the registries. A start fails with ExtensionError. */
@Module({
  imports: [AccessModule, GovernanceModule, NoticesModule, ToolsModule],
  providers: [
    {
      provide: EXTENSIONS,
      inject: [CONFIG, ToolRegistry, DecisionTrees, TRIGGERS, CustomAuthenticators, LOGGER],
      useFactory: async (
        { extensions }: Config,
        tools: ToolRegistry,
        trees: DecisionTrees,
        triggers: Trigger[],
        authenticators: CustomAuthenticators,
        logger: Logger,
      ) => {
        await loadExtensions(extensions, { tools, trees, triggers, authenticators, logger });
        return extensions;
      },
    },
  ],
  exports: [EXTENSIONS, GovernanceModule, NoticesModule, ToolsModule],
})
export class ExtensionsModule {}
