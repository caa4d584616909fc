import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/face.js';
import { TurnApiModule } from '../../turn/face.js';
import { ConversationModule } from '../conversation/conversation.module.js';
import { OracleService } from './oracle-service.js';
import { OracleController } from './oracle.controller.js';

/** The routes of the oracle wire. */
@Module({
  imports: [SessionModule, TurnApiModule, ConversationModule],
  controllers: [OracleController],
  providers: [OracleService],
})
export class OracleModule {}
