import { Module } from '@nestjs/common';
import { EndPoller } from './end-poller.js';
import { TurnFollower } from './turn-follower.js';
import { TurnLog } from './turn-log.js';

/** The events of turns, for readers who follow one and for pages. */
@Module({ providers: [EndPoller, TurnFollower, TurnLog], exports: [TurnFollower, TurnLog] })
export class StreamModule {}
