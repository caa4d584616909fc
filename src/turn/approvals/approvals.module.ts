import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AttachmentsModule } from '../../attachments/attachments.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ApprovalAnswerer } from './approval-answerer.js';
import { ApprovalStore } from './approval-store.js';
import { ApproverAnswers } from './approver-answers.js';
import { AwaitedApprovals } from './awaited-approvals.js';

/** Questions of turns to people, and what comes back. */
@Module({
  imports: [AccessModule, AttachmentsModule, QueueModule, ToolsModule],
  providers: [ApprovalStore, ApproverAnswers, AwaitedApprovals, ApprovalAnswerer],
  exports: [ApprovalStore, ApproverAnswers, AwaitedApprovals, ApprovalAnswerer],
})
export class ApprovalsModule {}
