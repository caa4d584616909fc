import { Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { Housekeeper, type Chore } from './housekeeper.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

@Module({})
export class HousekeepingModule implements OnModuleDestroy {
  constructor(private readonly keeper: Housekeeper) {}

  static register(chores: readonly Chore[], deps: { clock: Clock; logger: Logger }): DynamicModule {
    return {
      module: HousekeepingModule,
      providers: [{ provide: Housekeeper, useValue: new Housekeeper(chores, deps) }],
    };
  }

  start(): void {
    this.keeper.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.keeper.stop();
  }
}
