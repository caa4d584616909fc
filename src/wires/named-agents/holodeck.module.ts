import { Module, type DynamicModule } from '@nestjs/common';
import { TurnService } from '../../turn/turn-service.js';
import { HolodeckController } from './holodeck.controller.js';
import { HolodeckService, type HolodeckDeps } from './holodeck-service.js';

export interface HolodeckModuleOptions extends Omit<HolodeckDeps, 'turns'> {
  /** The module that has the `TurnService`. */
  turnApi: DynamicModule;
}

/** The routes of named agents, over the turns and sessions of the others. */
@Module({})
export class HolodeckModule {
  static register({ turnApi, ...rest }: HolodeckModuleOptions): DynamicModule {
    return {
      module: HolodeckModule,
      imports: [turnApi],
      controllers: [HolodeckController],
      providers: [
        {
          provide: HolodeckService,
          inject: [TurnService],
          useFactory: (turns: TurnService) => new HolodeckService({ turns, ...rest }),
        },
      ],
    };
  }
}
