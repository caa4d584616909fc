import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { BlobStore } from '../../attachments/blob-store.js';
import { CONFIG, type Config } from '../../config/config.js';
import { TURN_SERVICES, type TurnServices } from '../../turn/state/turn-services.js';
import { TurnService } from '../../turn/turn-service.js';
import { TurnStreams } from '../conversation/turn-streams.js';
import { TurnStreamsModule } from '../conversation/turn-streams.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { chatLimits } from './chat-limits.js';
import { HolodeckController } from './holodeck.controller.js';
import { HolodeckService } from './holodeck-service.js';

/** The routes of named agents, over the turns and sessions of the others. */
@Module({
  imports: [AttachmentsModule, TurnApiModule, TurnStreamsModule],
  controllers: [HolodeckController],
  providers: [
    {
      provide: HolodeckService,
      inject: [TurnService, TurnStreams, TURN_SERVICES, BlobStore, CONFIG],
      useFactory: (
        turns: TurnService,
        streams: TurnStreams,
        services: TurnServices,
        store: BlobStore,
        config: Config,
      ) =>
        new HolodeckService({
          turns,
          streams,
          services,
          store,
          sessionMs: config.agentSessionMs,
          limits: chatLimits(config),
        }),
    },
  ],
})
export class HolodeckModule {}
