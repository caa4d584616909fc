import { Module, type DynamicModule } from '@nestjs/common';
import type { AuditLog } from '../../access/keys/audit-log.js';
import type { SessionService } from '../../session/session-service.js';
import { TurnService } from '../../turn/turn-service.js';
import type { TurnServices } from '../../turn/state/turn-services.js';
import { OracleController } from './oracle.controller.js';
import { OracleService } from './oracle-service.js';

export interface OracleModuleOptions {
  /** The module that has the `TurnService`. */
  turnApi: DynamicModule;
  sessions: SessionService;
  services: TurnServices;
  audit: AuditLog;
}

/** The routes of the oracle wire, over the turns and sessions of the others. */
@Module({})
export class OracleModule {
  static register({ turnApi, ...rest }: OracleModuleOptions): DynamicModule {
    return {
      module: OracleModule,
      imports: [turnApi],
      controllers: [OracleController],
      providers: [
        {
          provide: OracleService,
          inject: [TurnService],
          useFactory: (turns: TurnService) => new OracleService({ turns, ...rest }),
        },
      ],
    };
  }
}
