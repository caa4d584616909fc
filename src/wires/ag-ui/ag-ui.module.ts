import { Module, type DynamicModule } from '@nestjs/common';
import { TurnService } from '../../turn/turn-service.js';
import { AgUiController } from './ag-ui.controller.js';
import { AgUiService, type AgUiDeps } from './ag-ui-service.js';

export interface AgUiModuleOptions extends Omit<AgUiDeps, 'turns'> {
  /** The module that has the `TurnService`. */
  turnApi: DynamicModule;
}

/** The routes of the AG-UI protocol, over the turns and sessions of the others. */
@Module({})
export class AgUiModule {
  static register({ turnApi, ...rest }: AgUiModuleOptions): DynamicModule {
    return {
      module: AgUiModule,
      imports: [turnApi],
      controllers: [AgUiController],
      providers: [
        {
          provide: AgUiService,
          inject: [TurnService],
          useFactory: (turns: TurnService) => new AgUiService({ turns, ...rest }),
        },
      ],
    };
  }
}
