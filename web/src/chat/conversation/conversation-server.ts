import type { SessionRecord } from '../../../../src/client/turnpike-client.js';
import type { MessageDto } from '../../../../src/turn/history/messages.dto.js';
import type { AnyFrame } from './reduce-turn.js';

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

export interface Submission {
  sessionId: string;
  message: string;
  /** Ids of uploaded files. */
  attachments: readonly string[];
  /** In place of those that the replaced turn was sent with; undefined: as if it had not named the option. */
  opts: Record<string, unknown>;
  /** The turn whose place the new one takes, with all that follow it. */
  replaces?: string;
  /** A key that is kept for all tries, so that a submission starts one turn. */
  idempotencyKey: string;
}

export interface SubmittedTurn {
  turnId: string;
  /** The message was steered into the running turn. */
  isSteered: boolean;
  frames: AsyncIterable<AnyFrame>;
}

/** The calls of the API that a conversation makes. */
export interface ConversationServer {
  load(sessionId: string): Promise<StoredConversation>;
  /** The latest turns, newest first. */
  turns(sessionId: string): Promise<TurnSummary[]>;
  submit(submission: Submission, signal: AbortSignal): Promise<SubmittedTurn>;
  /** The turn's frames from the first, over as many connections as it takes. */
  follow(turnId: string, signal: AbortSignal): AsyncIterable<AnyFrame>;
  interrupt(turnId: string): Promise<unknown>;
}
