import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { SessionModule } from '../session/session.module.js';
import { TurnModule } from '../turn/turn.module.js';
import { ErasureController } from './erasure.controller.js';
import { PrincipalCopies } from './principal-copies.js';
import { PrincipalEraser } from './principal-eraser.js';
import { PrincipalRows } from './principal-rows.js';

/** The end of a principal's data. */
@Module({
  imports: [AccessModule, AttachmentsModule, SessionModule, TurnModule],
  controllers: [ErasureController],
  providers: [PrincipalCopies, PrincipalEraser, PrincipalRows],
})
export class ErasureModule {}
