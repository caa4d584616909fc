import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/face.js';
import { AttachmentsModule } from '../../attachments/face.js';
import { SessionModule } from '../../session/face.js';
import { ToolsModule } from '../../tools/face.js';
import { TurnModule } from '../../turn/face.js';
import { ErasureController } from './erasure.controller.js';
import { PrincipalCopies, PrincipalEraser } from './principal-eraser.js';
import { SessionExporter } from './session-exporter.js';
import { SessionImporter } from './session-importer.js';
import { TransferController } from './transfer.controller.js';

/** What is done with all that is stored: sessions as files, and the end of a principal's data. */
@Module({
  imports: [AccessModule, AttachmentsModule, SessionModule, ToolsModule, TurnModule],
  controllers: [TransferController, ErasureController],
  providers: [PrincipalCopies, PrincipalEraser, SessionExporter, SessionImporter],
})
export class PortabilityModule {}
