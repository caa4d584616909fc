import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../../attachments/face.js';
import { SessionModule } from '../../session/face.js';
import { TurnApiModule } from '../../turn/face.js';
import { Conversations } from './conversations.js';
import { TurnStreams } from './turn-streams.js';

/** What the wires share: conversations by the names of their clients, and turns as streams. */
@Module({
  imports: [AttachmentsModule, SessionModule, TurnApiModule],
  providers: [Conversations, TurnStreams],
  exports: [Conversations, TurnStreams],
})
export class ChatModule {}
