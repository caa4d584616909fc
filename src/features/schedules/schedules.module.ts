import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/face.js';
import { AgentsModule } from '../../agents/face.js';
import { OptionsModule } from '../../options/face.js';
import { SessionModule } from '../../session/face.js';
import { BackgroundTasks } from '../../platform/face.js';
import { DeploymentCounts } from '../../telemetry/deployment-counts.js';
import { Metrics } from '../../telemetry/metrics.js';
import { TurnModule } from '../../turn/face.js';
import { DefinitionChecker } from './definition-checker.js';
import { ScheduleController } from './schedule.controller.js';
import { ScheduleService } from './schedule-service.js';
import { ScheduleTicker } from './schedule-ticker.js';
import { ScheduledTurns } from './scheduled-turns.js';
import { ScheduleRunner } from './schedule-runner.js';
import { findLateSeconds, ScheduleRunStore } from './schedule-run-store.js';

/** The lateness of schedules, which every process shows. */
@Module({})
class ScheduleCountsModule {
  constructor(counts: DeploymentCounts, { scheduleLate: gauge }: Metrics) {
    counts.register({ name: 'schedule_late_seconds', gauge, find: findLateSeconds });
  }
}

/** The routes of schedules. */
@Module({
  imports: [
    ScheduleCountsModule,
    AccessModule,
    AgentsModule,
    OptionsModule,
    SessionModule,
    TurnModule,
  ],
  controllers: [ScheduleController],
  providers: [DefinitionChecker, ScheduledTurns, ScheduleRunStore, ScheduleService],
})
export class ScheduleApiModule {}

/** Submits the turns of schedules when they are due. */
@Module({
  imports: [ScheduleCountsModule, AccessModule, SessionModule, TurnModule],
  providers: [ScheduleRunStore, ScheduledTurns, ScheduleRunner, ScheduleTicker],
})
export class SchedulerModule {
  constructor(tasks: BackgroundTasks, ticker: ScheduleTicker) {
    tasks.register(ticker);
  }
}
