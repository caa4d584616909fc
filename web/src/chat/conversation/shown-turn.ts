import type { Submission } from './conversation-server.js';
import type { ConversationTurn } from './view-messages.js';

/** A turn as the page shows it. */
export interface ShownTurn extends ConversationTurn {
  /** Fault that kept the message from being sent, or the turn from being followed; may be retried. */
  fault?: unknown;
  /** The submission, until the server has accepted it. */
  submission?: Submission;
}

/** Whether frames are still to come. Pure. */
export function isRunning({ view, fault }: ShownTurn): boolean {
  return view.phase !== 'ended' && view.phase !== 'sending' && fault === undefined;
}
