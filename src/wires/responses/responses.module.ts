import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { ProviderModule } from '../../provider/provider.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { ConversationModule } from '../conversation/conversation.module.js';
import { ConversationFinder } from './conversation-finder.js';
import { ItemReferences } from './item-references.js';
import { ModelChooser } from './model-chooser.js';
import { ModelsController } from './models.controller.js';
import { ResponseAnswerer } from './response-answerer.js';
import { ResponseLookup } from './response-lookup.js';
import { ResponseReader } from './response-reader.js';
import { ResponseSubmitter } from './response-submitter.js';
import { ResponsesController } from './responses.controller.js';
import { ResponsesService } from './responses-service.js';

/** The routes of the Responses API. */
@Module({
  imports: [AgentsModule, ConversationModule, ProviderModule, TurnApiModule],
  controllers: [ResponsesController, ModelsController],
  providers: [
    ConversationFinder,
    ItemReferences,
    ModelChooser,
    ResponseAnswerer,
    ResponseLookup,
    ResponseReader,
    ResponseSubmitter,
    ResponsesService,
  ],
})
export class ResponsesModule {}
