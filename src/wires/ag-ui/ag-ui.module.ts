import { Module } from '@nestjs/common';
import { AgentsModule } from '../../agents/face.js';
import { ChatModule } from '../chat/chat.module.js';
import { AgUiService } from './ag-ui-service.js';
import { AgUiController } from './ag-ui.controller.js';

/** The routes of AG-UI. */
@Module({
  imports: [AgentsModule, ChatModule],
  controllers: [AgUiController],
  providers: [AgUiService],
})
export class AgUiModule {}
