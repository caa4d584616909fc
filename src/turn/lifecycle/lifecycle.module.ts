import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/session.module.js';
import { AttemptModule } from '../attempt/attempt.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { StreamModule } from '../stream/stream.module.js';
import { SessionCloser } from './session-closer.js';
import { TurnCanceller } from './turn-canceller.js';
import { TurnPromoter } from './turn-promoter.js';

/** Ends turns that somebody asked to end, and begins those that were behind them. */
@Module({
  imports: [AttemptModule, QueueModule, SessionModule, StreamModule],
  providers: [TurnPromoter, TurnCanceller, SessionCloser],
  exports: [TurnPromoter, TurnCanceller, SessionCloser],
})
export class LifecycleModule {}
