import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/face.js';
import { SessionModule } from '../../session/face.js';
import { TurnApiModule } from '../../turn/face.js';
import { ChatModule } from '../chat/chat.module.js';
import { AiSdkService } from './ai-sdk-service.js';
import { AiSdkController, ChatHistoryController } from './ai-sdk.controller.js';
import { ChatHistory } from './chat-history.js';

/** The routes of the AI SDK. */
@Module({
  imports: [AgentsModule, ChatModule, SessionModule, TurnApiModule],
  controllers: [AiSdkController, ChatHistoryController],
  providers: [AiSdkService, ChatHistory],
})
export class AiSdkModule {}
