import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/face.js';
import { TurnApiModule } from '../../turn/face.js';
import { ChatModule } from '../chat/chat.module.js';
import { OracleService } from './oracle-service.js';
import { OracleController } from './oracle.controller.js';

/** The routes of the oracle wire. */
@Module({
  imports: [SessionModule, TurnApiModule, ChatModule],
  controllers: [OracleController],
  providers: [OracleService],
})
export class OracleModule {}
