import type { SessionRecord } from '#src/client/turnpike-client.js';
import type { MessageDto } from '#src/turn/history/messages.dto.js';
import type { AnyFrame, Submission } from './turn-view.js';

/** A turn of a list. */
export interface TurnSummary {
  turnId: string;
  status: string;
  model?: string;
}

export interface StoredConversation {
  session: SessionRecord;
  messages: MessageDto[];
  /** Newest first. */
  turns: TurnSummary[];
}

export interface SubmittedTurn {
  turnId: string;
  /** The message was steered into the running turn. */
  isSteered: boolean;
  frames: AsyncIterable<AnyFrame>;
}

/** The calls of the API that a conversation makes. */
export interface ConversationServer {
  session(sessionId: string): Promise<SessionRecord>;
  /** All messages, oldest first. */
  messages(sessionId: string): Promise<MessageDto[]>;
  /** The latest turns, newest first. */
  turns(sessionId: string): Promise<TurnSummary[]>;
  submit(submission: Submission, signal: AbortSignal): Promise<SubmittedTurn>;
  /** The turn's frames from the first, over as many connections as it takes. */
  follow(turnId: string, signal: AbortSignal): AsyncIterable<AnyFrame>;
  interrupt(turnId: string): Promise<unknown>;
}
