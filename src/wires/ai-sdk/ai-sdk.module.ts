import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { ConversationModule } from '../conversation/conversation.module.js';
import { AiSdkService } from './ai-sdk-service.js';
import { AiSdkController } from './ai-sdk.controller.js';

/** The routes of the AI SDK. */
@Module({
  imports: [AgentsModule, ConversationModule],
  controllers: [AiSdkController],
  providers: [AiSdkService],
})
export class AiSdkModule {}
