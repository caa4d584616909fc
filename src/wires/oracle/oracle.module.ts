import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/session.module.js';
import { SessionService } from '../../session/session-service.js';
import { TURN_SERVICES, type TurnServices } from '../../turn/state/turn-services.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { OracleController } from './oracle.controller.js';
import { OracleService } from './oracle-service.js';

/** The routes of the oracle wire, over the turns and sessions of the others. */
@Module({
  imports: [SessionModule, TurnApiModule],
  controllers: [OracleController],
  providers: [
    {
      provide: OracleService,
      inject: [TurnService, SessionService, TURN_SERVICES],
      useFactory: (turns: TurnService, sessions: SessionService, services: TurnServices) =>
        new OracleService({ turns, sessions, services }),
    },
  ],
})
export class OracleModule {}
