import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { SessionModule } from '../../session/session.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { ConversationModule } from '../conversation/conversation.module.js';
import { AgentSessions } from './agent-sessions.js';
import { NamedAgentsService } from './named-agents-service.js';
import { NamedAgentsController } from './named-agents.controller.js';

/** The routes of named agents. */
@Module({
  imports: [AgentsModule, AttachmentsModule, SessionModule, TurnApiModule, ConversationModule],
  controllers: [NamedAgentsController],
  providers: [NamedAgentsService, AgentSessions],
})
export class NamedAgentsModule {}
