import { apiKey } from '../../app/api-key.js';
import { tellTabs } from '../../app/tabs.js';
import { apiConversation } from './api-conversation.js';
import { Conversation } from './conversation.js';

/** The one that the page shows, or showed last: it goes on while another page is looked at. */
let open: Conversation | undefined;

export function openConversation(sessionId: string): Conversation {
  if (open?.sessionId === sessionId) return open;
  open?.close();
  open = new Conversation(sessionId, apiConversation, (turnId) =>
    tellTabs({ type: 'turn', sessionId, turnId }),
  );
  void open.open();
  return open;
}

export function closeConversation(): void {
  open?.close();
  open = undefined;
}

// What one key may see, another one may not.
apiKey.subscribe(closeConversation);
