import { Module } from '@nestjs/common';
import { TurnApiModule } from '../../turn/turn.module.js';
import { TurnStreamsModule } from '../conversation/turn-streams.module.js';
import { TurnController } from './turn.controller.js';

/** The routes of turns on the server's own wire. */
@Module({ imports: [TurnApiModule, TurnStreamsModule], controllers: [TurnController] })
export class HarnessModule {}
