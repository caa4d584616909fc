import type { Submission } from './conversation-server.js';
import type { ConversationTurn } from './view-messages.js';

/** A turn as the page has it, which may know more or less than the server. */
export interface ShownTurn extends ConversationTurn {
  /** Why it was not sent, or why it is not followed any more; the reader may try again. */
  fault?: unknown;
  /** What was sent, until it is known that the server has it. */
  submission?: Submission;
}

/** Whether something of it is still to come. Pure. */
export function isRunning({ view, fault }: ShownTurn): boolean {
  return view.phase !== 'ended' && view.phase !== 'sending' && fault === undefined;
}
