import { Module, type OnModuleDestroy } from '@nestjs/common';
import { OptionsModule } from '../../options/options.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptModule } from '../attempt/attempt.module.js';
import { AbandonedTurns, Sweeper } from './sweeper.js';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { SubagentsModule } from '../subagents/subagents.module.js';
import { TurnWorker } from './turn-worker.js';
import { WorkerLives } from './worker-lives.js';

/** Runs turns, and sweeps for those that were left behind. */
@Module({
  imports: [
    ApprovalsModule,
    AttemptModule,
    LifecycleModule,
    OptionsModule,
    QueueModule,
    SubagentsModule,
  ],
  providers: [AbandonedTurns, Sweeper, TurnWorker, WorkerLives],
  exports: [Sweeper, TurnWorker],
})
export class TurnWorkerModule implements OnModuleDestroy {
  constructor(
    private readonly worker: TurnWorker,
    private readonly sweeper: Sweeper,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.sweeper.stop();
    await this.worker.stop();
  }
}
