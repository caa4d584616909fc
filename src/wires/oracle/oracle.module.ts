import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/session.module.js';
import { SessionService } from '../../session/session-service.js';
import { TURN_SERVICES, type TurnServices } from '../../turn/state/turn-services.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnStreams } from '../conversation/turn-streams.js';
import { TurnStreamsModule } from '../conversation/turn-streams.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { OracleController } from './oracle.controller.js';
import { OracleService } from './oracle-service.js';

/** The routes of the oracle wire, over the turns and sessions of the others. */
@Module({
  imports: [SessionModule, TurnApiModule, TurnStreamsModule],
  controllers: [OracleController],
  providers: [
    {
      provide: OracleService,
      inject: [TurnService, TurnStreams, SessionService, TURN_SERVICES],
      useFactory: (
        turns: TurnService,
        streams: TurnStreams,
        sessions: SessionService,
        services: TurnServices,
      ) => new OracleService({ turns, streams, sessions, services }),
    },
  ],
})
export class OracleModule {}
