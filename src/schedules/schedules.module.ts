import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { SessionModule } from '../session/session.module.js';
import { TurnModule } from '../turn/turn.module.js';
import { DefinitionChecker } from './definition-checker.js';
import { ScheduleController } from './schedule.controller.js';
import { ScheduleService } from './schedule-service.js';
import { ScheduleTicker } from './schedule-ticker.js';
import { ScheduledTurns } from './scheduled-turns.js';
import { ScheduleRunner } from './schedule-runner.js';
import { ScheduleRunStore } from './schedule-run-store.js';

/** The routes of schedules. */
@Module({
  imports: [AccessModule, AgentsModule, SessionModule, TurnModule],
  controllers: [ScheduleController],
  providers: [DefinitionChecker, ScheduledTurns, ScheduleRunStore, ScheduleService],
})
export class ScheduleApiModule {}

/** Submits the turns of schedules when they are due. */
@Module({
  imports: [AccessModule, SessionModule, TurnModule],
  providers: [ScheduleRunStore, ScheduledTurns, ScheduleRunner, ScheduleTicker],
  exports: [ScheduleTicker],
})
export class SchedulerModule {}
