import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { TurnCommits } from '../../events/turn-commits.js';
import { ExtensionsModule } from '../../extensions/extensions.module.js';
import { MemoryModule } from '../../memory/memory.module.js';
import { OptionsModule } from '../../options/options.module.js';
import { ProviderModule } from '../../provider/provider.module.js';
import { SessionModule } from '../../session/session.module.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { WrittenLookup } from '../branches/written-lookup.js';
import { FileShowers } from '../prompt/file-showers.js';
import { HistoryOpener } from '../prompt/history-opener.js';
import { HistoryShortener } from '../prompt/history-shortener.js';
import { TranscriptBuilder } from '../prompt/transcript-builder.js';
import { TurnCompactor } from '../prompt/turn-compactor.js';
import { AttemptAnnouncer } from './attempt-announcer.js';
import { AttemptFiles } from './attempt-files.js';
import { AttemptLogs } from './attempt-logs.js';
import { AttemptOpener } from './attempt-opener.js';
import { CallDescriber } from './call-describer.js';
import { CallPolicy } from './call-policy.js';
import { RunContextBuilder } from './run-context-builder.js';
import { RunPorts } from './run-ports.js';
import { SkillChooser } from './skill-chooser.js';
import { ToolPreparer } from './tool-preparer.js';
import { ToolSurroundings } from './tool-surroundings.js';
import { WatchOpener } from './watch-opener.js';

/** Opens attempts at turns, to run them or to end them. */
@Module({
  imports: [
    AgentsModule,
    AttachmentsModule,
    ExtensionsModule,
    MemoryModule,
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
    AttemptLogs,
    AttemptOpener,
    AttemptAnnouncer,
    AttemptFiles,
    CallDescriber,
    CallPolicy,
    RunPorts,
    RunContextBuilder,
    SkillChooser,
    ToolPreparer,
    ToolSurroundings,
    WatchOpener,
    WrittenLookup,
    FileShowers,
    HistoryOpener,
    HistoryShortener,
    TranscriptBuilder,
    TurnCompactor,
  ],
  exports: [
    AttemptAnnouncer,
    AttemptFiles,
    AttemptOpener,
    FileShowers,
    RunContextBuilder,
    TranscriptBuilder,
    WrittenLookup,
  ],
})
export class AttemptModule {}
