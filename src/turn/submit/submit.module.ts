import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { ExtensionsModule } from '../../tools/extensions/extensions.module.js';
import { OptionsModule } from '../../options/options.module.js';
import { ProviderModule } from '../../provider/provider.module.js';
import { SessionModule } from '../../session/session.module.js';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { TurnAdmitter } from './turn-admitter.js';
import { TurnPreparer } from './turn-preparer.js';
import { LeftRequests } from './left-requests.js';
import { RepeatedRequests } from './repeated-requests.js';
import { TurnSubmitter } from './turn-submitter.js';

/** Takes requests for turns. */
@Module({
  imports: [
    AgentsModule,
    AttachmentsModule,
    ExtensionsModule,
    LifecycleModule,
    OptionsModule,
    ProviderModule,
    QueueModule,
    SessionModule,
  ],
  providers: [TurnSubmitter, TurnPreparer, TurnAdmitter, RepeatedRequests, LeftRequests],
  exports: [TurnSubmitter, RepeatedRequests],
})
export class SubmitModule {}
