import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AgentsModule } from '../../agents/agents.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { CONFIG, type Config } from '../../config/config.js';
import { TurnCommits } from '../../events/turn-commits.js';
import { ExtensionsModule } from '../../tools/extensions/extensions.module.js';
import { ProjectFacts } from '../../session/project-facts.js';
import { OptionsModule } from '../../options/options.module.js';
import { ProviderModule } from '../../provider/provider.module.js';
import { SessionModule } from '../../session/session.module.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { Metrics } from '../../telemetry/metrics.js';
import { ToolRegistry } from '../../tools/registry.js';
import { SHELLS, type Shells } from '../../tools/shells.js';
import { AttemptServices } from '../state/attempt-services.js';
import { ConversationCache } from '../state/conversation-cache.js';
import { ToolSources } from '../state/tool-source.js';
import { clientSource, providerSource, registrySource } from './own-sources.js';

/** What attempts at turns are opened with, to run the turns or to end them. */
@Module({
  imports: [
    AccessModule,
    AgentsModule,
    AttachmentsModule,
    ExtensionsModule,
    OptionsModule,
    ProviderModule,
    SessionModule,
  ],
  providers: [
    {
      provide: TurnCommits,
      inject: [DATABASE],
      useFactory: (db: Database) => new TurnCommits(db),
    },
    AttemptServices,
    {
      provide: ToolSources,
      inject: [ToolRegistry, SHELLS],
      useFactory: (registry: ToolRegistry, shells: Shells) => {
        const sources = new ToolSources([clientSource, providerSource]);
        sources.register(registrySource(registry, { sources, shells }));
        return sources;
      },
    },
    {
      provide: ConversationCache,
      inject: [CONFIG, Metrics],
      useFactory: (config: Config, metrics: Metrics) => new ConversationCache(config, metrics),
    },
    ProjectFacts,
  ],
  exports: [AttemptServices, ToolSources],
})
export class AttemptModule {}
