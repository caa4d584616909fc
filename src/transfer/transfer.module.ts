import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { SessionModule } from '../session/session.module.js';
import { TurnModule } from '../turn/turn.module.js';
import { MemoryTransfer } from './memory-transfer.js';
import { SessionExporter } from './session-exporter.js';
import { SessionImporter } from './session-importer.js';
import { TransferController } from './transfer.controller.js';

/** Sessions as files: export and import. */
@Module({
  imports: [AccessModule, AttachmentsModule, SessionModule, TurnModule],
  controllers: [TransferController],
  providers: [MemoryTransfer, SessionExporter, SessionImporter],
})
export class TransferModule {}
