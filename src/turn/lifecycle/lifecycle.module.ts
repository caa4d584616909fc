import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/session.module.js';
import { AttemptModule } from '../attempt/attempt.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { SessionCloser } from './session-closer.js';
import { TurnCanceller } from './turn-canceller.js';
import { EndPoller, TurnFollower } from './turn-follower.js';
import { TurnPromoter } from './turn-promoter.js';

/** Ends turns that somebody asked to end, begins those that were behind them, and lets readers follow them. */
@Module({
  imports: [AttemptModule, QueueModule, SessionModule],
  providers: [EndPoller, TurnFollower, TurnPromoter, TurnCanceller, SessionCloser],
  exports: [TurnFollower, TurnPromoter, TurnCanceller, SessionCloser],
})
export class LifecycleModule {}
