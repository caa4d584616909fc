import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { SessionModule } from '../../session/session.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { TurnStreamsModule } from '../conversation/turn-streams.module.js';
import { AiSdkService } from './ai-sdk-service.js';
import { AiSdkController } from './ai-sdk.controller.js';

/** The routes of the AI SDK. */
@Module({
  imports: [AgentsModule, AttachmentsModule, SessionModule, TurnApiModule, TurnStreamsModule],
  controllers: [AiSdkController],
  providers: [AiSdkService],
})
export class AiSdkModule {}
