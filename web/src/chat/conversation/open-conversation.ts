import { apiKey } from '../../app/api-key.js';
import { publishToTabs } from '../../app/tabs.js';
import { apiConversation } from './api-conversation.js';
import { Conversation } from './conversation.js';

/** The conversation that was shown last; it goes on while a different page is shown. */
let open: Conversation | undefined;

export function openConversation(sessionId: string): Conversation {
  if (open?.sessionId === sessionId) return open;
  open?.close();
  open = new Conversation(sessionId, apiConversation, (turnId) =>
    publishToTabs({ type: 'turn', sessionId, turnId }),
  );
  void open.open();
  return open;
}

export function closeConversation(): void {
  open?.close();
  open = undefined;
}

// A different key may not see the session.
apiKey.subscribe(closeConversation);
