import { Module } from '@nestjs/common';
import { TurnApiModule } from '../../turn/face.js';
import { ChatModule } from '../chat/chat.module.js';
import { TurnController } from './turn.controller.js';

/** The routes of turns on the server's own wire. */
@Module({ imports: [TurnApiModule, ChatModule], controllers: [TurnController] })
export class HarnessModule {}
