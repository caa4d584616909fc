import { Module } from '@nestjs/common';
import { EndWatch } from './end-watch.js';
import { TurnFollower } from './turn-follower.js';
import { TurnLog } from './turn-log.js';

/** The events of turns, for readers who follow one and for pages. */
@Module({ providers: [EndWatch, TurnFollower, TurnLog], exports: [TurnFollower, TurnLog] })
export class StreamModule {}
