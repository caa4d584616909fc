import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/face.js';
import { ProviderModule } from '../../provider/face.js';
import { TurnApiModule } from '../../turn/face.js';
import { ChatModule } from '../chat/chat.module.js';
import { ModelChooser, ModelsController } from './models.controller.js';
import { ResponseLookup } from './response-lookup.js';
import { ResponseSubmitter } from './response-submitter.js';
import { ResponsesController } from './responses.controller.js';

/** The routes of the Responses API. */
@Module({
  imports: [AgentsModule, ChatModule, ProviderModule, TurnApiModule],
  controllers: [ResponsesController, ModelsController],
  providers: [ModelChooser, ResponseLookup, ResponseSubmitter],
})
export class ResponsesModule {}
