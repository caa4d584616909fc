import { Module, type OnModuleDestroy } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { OptionsModule } from '../options/options.module.js';
import { NoticesModule } from '../governance/notices/notices.module.js';
import { ProviderModule } from '../provider/provider.module.js';
import { SessionModule } from '../session/session.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { AwaitedApprovalController } from './approvals/awaited-approval.controller.js';
import { ApprovalController } from './approvals/approval.controller.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AttemptModule } from './attempt/attempt.module.js';
import { ForkController } from './branches/fork.controller.js';
import { SessionForker } from './branches/session-forker.js';
import { ConversationController } from './history/conversation.controller.js';
import { ConversationService } from './history/conversation-service.js';
import { LifecycleModule } from './lifecycle/lifecycle.module.js';
import { Presence } from './lifecycle/presence.js';
import { OverviewController } from './overview/overview.controller.js';
import { QueueModule } from './queue/queue.module.js';
import { SubmitModule } from './submit/submit.module.js';
import { TurnService } from './turn-service.js';

/** What conducts turns, room by room. */
const rooms = [ApprovalsModule, LifecycleModule, QueueModule, SubmitModule];

@Module({
  imports: [
    ...rooms,
    AccessModule,
    AttemptModule,
    NoticesModule,
    OptionsModule,
    ProviderModule,
    SessionModule,
    ToolsModule,
  ],
  providers: [ConversationService, SessionForker],
  exports: [...rooms, ConversationService, SessionForker],
})
export class TurnModule {}

/** Services of turns for clients, with their controllers and readers. */
@Module({
  imports: [AccessModule, AttachmentsModule, SessionModule, ToolsModule, TurnModule],
  controllers: [
    ConversationController,
    OverviewController,
    ForkController,
    ApprovalController,
    AwaitedApprovalController,
  ],
  providers: [Presence, TurnService],
  exports: [Presence, TurnService, TurnModule],
})
export class TurnApiModule implements OnModuleDestroy {
  constructor(
    private readonly service: TurnService,
    private readonly presence: Presence,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.service.drain();
    await this.presence.close();
  }
}
