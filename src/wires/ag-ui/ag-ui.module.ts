import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/agents.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { SessionModule } from '../../session/session.module.js';
import { TurnApiModule } from '../../turn/turn.module.js';
import { TurnStreamsModule } from '../conversation/turn-streams.module.js';
import { AgUiService } from './ag-ui-service.js';
import { AgUiController } from './ag-ui.controller.js';

/** The routes of AG-UI. */
@Module({
  imports: [AgentsModule, AttachmentsModule, SessionModule, TurnApiModule, TurnStreamsModule],
  controllers: [AgUiController],
  providers: [AgUiService],
})
export class AgUiModule {}
