import { Module } from '@nestjs/common';
import { TurnApiModule } from '../../turn/face.js';
import { ConversationModule } from '../conversation/conversation.module.js';
import { TurnController } from './turn.controller.js';

/** The routes of turns on the server's own wire. */
@Module({ imports: [TurnApiModule, ConversationModule], controllers: [TurnController] })
export class HarnessModule {}
