import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/face.js';
import { AttachmentsModule } from '../../attachments/face.js';
import { SessionModule } from '../../session/face.js';
import { TurnApiModule } from '../../turn/face.js';
import { ChatModule } from '../chat/chat.module.js';
import { AgentSessions } from './agent-sessions.js';
import { NamedAgentsService } from './named-agents-service.js';
import { NamedAgentsController } from './named-agents.controller.js';

/** The routes of named agents. */
@Module({
  imports: [AgentsModule, AttachmentsModule, SessionModule, TurnApiModule, ChatModule],
  controllers: [NamedAgentsController],
  providers: [NamedAgentsService, AgentSessions],
})
export class NamedAgentsModule {}
