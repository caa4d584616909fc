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
import { SlotRunner } from './slot-runner.js';
import { SlotStore } from './slot-store.js';

/** The routes of schedules. */
@Module({
  imports: [AccessModule, AgentsModule, SessionModule, TurnModule],
  controllers: [ScheduleController],
  providers: [DefinitionChecker, ScheduledTurns, SlotStore, ScheduleService],
})
export class ScheduleApiModule {}

/** Submits the turns of schedules when they are due. */
@Module({
  imports: [AccessModule, SessionModule, TurnModule],
  providers: [SlotStore, ScheduledTurns, SlotRunner, ScheduleTicker],
  exports: [ScheduleTicker],
})
export class SchedulerModule {}
