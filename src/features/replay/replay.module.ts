import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { SessionModule } from '../../session/session.module.js';
import { TurnApiModule, TurnModule } from '../../turn/turn.module.js';
import { ReplayController } from './replay.controller.js';
import { ReplayService } from './replay-service.js';

/** Ended turns that run again, on recorded results. */
@Module({
  imports: [AccessModule, AttachmentsModule, SessionModule, TurnModule, TurnApiModule],
  controllers: [ReplayController],
  providers: [ReplayService],
})
export class ReplayModule {}
