import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/face.js';
import { AttachmentsModule } from '../../attachments/face.js';
import { SessionModule } from '../../session/face.js';
import { TurnApiModule, TurnModule } from '../../turn/face.js';
import { ReplayController } from './replay.controller.js';
import { ReplayService } from './replay-service.js';

/** Ended turns that run again, on recorded results. */
@Module({
  imports: [AccessModule, AttachmentsModule, SessionModule, TurnModule, TurnApiModule],
  controllers: [ReplayController],
  providers: [ReplayService],
})
export class ReplayModule {}
