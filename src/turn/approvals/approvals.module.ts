import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ApprovalAnswerer } from './approval-answerer.js';
import { ApprovalStore } from './approval-store.js';

/** Questions of turns to people, and what comes back. */
@Module({
  imports: [AccessModule, AttachmentsModule, QueueModule, ToolsModule],
  providers: [ApprovalStore, ApprovalAnswerer],
  exports: [ApprovalStore, ApprovalAnswerer],
})
export class ApprovalsModule {}
