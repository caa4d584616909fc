import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { SessionModule } from '../../session/session.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { ConversationModule } from '../conversation/conversation.module.js';
import { ChatSubmitter } from './chat-submitter.js';
import { HolodeckService } from './holodeck-service.js';
import { HolodeckController } from './holodeck.controller.js';

/** The routes of named agents. */
@Module({
  imports: [AgentsModule, AttachmentsModule, SessionModule, TurnApiModule, ConversationModule],
  controllers: [HolodeckController],
  providers: [HolodeckService, ChatSubmitter],
})
export class HolodeckModule {}
