import type { SessionRecord } from '../../../../src/session/view-session.js';
import type { MessageView } from '../../../../src/turn/history/view-messages.js';
import type { AnyFrame } from './reduce-turn.js';

/** A turn as lists have it. */
export interface TurnSummary {
  turnId: string;
  status: string;
  model?: string;
}

export interface StoredConversation {
  session: SessionRecord;
  messages: MessageView[];
  /** Newest first. */
  turns: TurnSummary[];
}

export interface Submission {
  sessionId: string;
  message: string;
  /** Ids of uploaded files. */
  attachments: readonly string[];
  opts: Record<string, unknown>;
  /** The same each time it is tried: whatever became of the answers, it is one turn. */
  idempotencyKey: string;
}

export interface SubmittedTurn {
  turnId: string;
  /** It became part of the turn that runs. */
  isSteered: boolean;
  frames: AsyncIterable<AnyFrame>;
}

/** What a conversation needs of the API. */
export interface ConversationServer {
  load(sessionId: string): Promise<StoredConversation>;
  /** The latest turns, newest first. */
  turns(sessionId: string): Promise<TurnSummary[]>;
  submit(submission: Submission, signal: AbortSignal): Promise<SubmittedTurn>;
  /** From its first frame; goes on by itself when the connection breaks. */
  follow(turnId: string, signal: AbortSignal): AsyncIterable<AnyFrame>;
  interrupt(turnId: string): Promise<unknown>;
}
