import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/session.module.js';
import { AttemptModule } from '../attempt/attempt.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { SilentWorkers } from './silent-workers.js';
import { TurnCanceller } from './turn-canceller.js';
import { EndPoller, TurnFollower } from './turn-follower.js';

/** Ends turns that somebody asked to end, and lets readers follow them. */
@Module({
  imports: [AttemptModule, QueueModule, SessionModule],
  providers: [EndPoller, SilentWorkers, TurnFollower, TurnCanceller],
  exports: [TurnFollower, TurnCanceller],
})
export class LifecycleModule {}
