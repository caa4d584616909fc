import { Module, type OnModuleDestroy } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { SessionModule } from '../session/session.module.js';
import { TurnModule } from '../turn/turn.module.js';
import { DefinitionChecker } from './definitions/definition-checker.js';
import { ScheduleController } from './definitions/schedule.controller.js';
import { ScheduleService } from './definitions/schedule-service.js';
import { ScheduleStore } from './definitions/schedule-store.js';
import { ScheduleTicker } from './firing/schedule-ticker.js';
import { ScheduledTurns } from './firing/scheduled-turns.js';
import { SlotRunner } from './firing/slot-runner.js';
import { SlotStore } from './firing/slot-store.js';

/** The routes of schedules. */
@Module({
  imports: [AccessModule, AgentsModule, SessionModule, TurnModule],
  controllers: [ScheduleController],
  providers: [ScheduleStore, DefinitionChecker, ScheduledTurns, SlotStore, ScheduleService],
})
export class ScheduleApiModule {}

/** Submits the turns of schedules when they are due. */
@Module({
  imports: [AccessModule, SessionModule, TurnModule],
  providers: [SlotStore, ScheduledTurns, SlotRunner, ScheduleTicker],
  exports: [ScheduleTicker],
})
export class SchedulerModule implements OnModuleDestroy {
  constructor(private readonly ticker: ScheduleTicker) {}

  onModuleDestroy(): Promise<void> {
    return this.ticker.stop();
  }
}
