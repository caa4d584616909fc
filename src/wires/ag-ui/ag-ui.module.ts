import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { BlobStore } from '../../attachments/blob-store.js';
import { TURN_SERVICES, type TurnServices } from '../../turn/state/turn-services.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnStreams } from '../conversation/turn-streams.js';
import { TurnStreamsModule } from '../conversation/turn-streams.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { AgUiController } from './ag-ui.controller.js';
import { AgUiService } from './ag-ui-service.js';

/** The routes of the wire, over the turns and sessions of the others. */
@Module({
  imports: [AttachmentsModule, TurnApiModule, TurnStreamsModule],
  controllers: [AgUiController],
  providers: [
    {
      provide: AgUiService,
      inject: [TurnService, TurnStreams, TURN_SERVICES, BlobStore],
      useFactory: (
        turns: TurnService,
        streams: TurnStreams,
        services: TurnServices,
        store: BlobStore,
      ) => new AgUiService({ turns, streams, services, store }),
    },
  ],
})
export class AgUiModule {}
