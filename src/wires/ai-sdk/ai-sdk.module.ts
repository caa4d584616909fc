import { Module, type DynamicModule } from '@nestjs/common';
import { TurnService } from '../../turn/turn-service.js';
import { AiSdkController } from './ai-sdk.controller.js';
import { AiSdkService, type AiSdkDeps } from './ai-sdk-service.js';

export interface AiSdkModuleOptions extends Omit<AiSdkDeps, 'turns'> {
  /** The module that has the `TurnService`. */
  turnApi: DynamicModule;
}

/** The routes of the AI SDK, over the turns and sessions of the others. */
@Module({})
export class AiSdkModule {
  static register({ turnApi, ...rest }: AiSdkModuleOptions): DynamicModule {
    return {
      module: AiSdkModule,
      imports: [turnApi],
      controllers: [AiSdkController],
      providers: [
        {
          provide: AiSdkService,
          inject: [TurnService],
          useFactory: (turns: TurnService) => new AiSdkService({ turns, ...rest }),
        },
      ],
    };
  }
}
