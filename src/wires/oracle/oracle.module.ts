import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AuditLog } from '../../access/keys/audit-log.js';
import { SessionModule } from '../../session/session.module.js';
import { SessionService } from '../../session/session-service.js';
import { TURN_SERVICES, type TurnServices } from '../../turn/state/turn-services.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { OracleController } from './oracle.controller.js';
import { OracleService } from './oracle-service.js';

/** The routes of the oracle wire, over the turns and sessions of the others. */
@Module({
  imports: [AccessModule, SessionModule, TurnApiModule],
  controllers: [OracleController],
  providers: [
    {
      provide: OracleService,
      inject: [TurnService, SessionService, TURN_SERVICES, AuditLog],
      useFactory: (
        turns: TurnService,
        sessions: SessionService,
        services: TurnServices,
        audit: AuditLog,
      ) => new OracleService({ turns, sessions, services, audit }),
    },
  ],
})
export class OracleModule {}
