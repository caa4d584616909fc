import { Module } from '@nestjs/common';
import { TurnApiModule } from '../../turn/turn.module.js';
import { TurnStreams } from './turn-streams.js';

/** Turns as the routes of all wires stream them. */
@Module({ imports: [TurnApiModule], providers: [TurnStreams], exports: [TurnStreams] })
export class TurnStreamsModule {}
