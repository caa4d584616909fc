import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AuditLog } from '../../access/keys/audit-log.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { BlobStore } from '../../attachments/blobs/blob-store.js';
import { TURN_SERVICES, type TurnServices } from '../../turn/state/turn-services.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { AiSdkController } from './ai-sdk.controller.js';
import { AiSdkService } from './ai-sdk-service.js';

/** The routes of the wire, over the turns and sessions of the others. */
@Module({
  imports: [AccessModule, AttachmentsModule, TurnApiModule],
  controllers: [AiSdkController],
  providers: [
    {
      provide: AiSdkService,
      inject: [TurnService, TURN_SERVICES, BlobStore, AuditLog],
      useFactory: (turns: TurnService, services: TurnServices, store: BlobStore, audit: AuditLog) =>
        new AiSdkService({ turns, services, store, audit }),
    },
  ],
})
export class AiSdkModule {}
