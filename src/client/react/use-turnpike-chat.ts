import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { Chat, type ChatSettings, type ChatState } from '../chat/chat.js';
import type { TurnpikeClient } from '../turnpike-client.js';

export type { ChatSettings, ChatState } from '../chat/chat.js';
export type {
  ChatApproval,
  ChatCall,
  ChatFile,
  ChatMessage,
  ChatNotice,
  ChatPart,
  ChatText,
} from '../chat/chat-message.js';

export interface TurnpikeChatOptions extends ChatSettings {
  /** Made once, outside of the component: another client is another chat. */
  client: TurnpikeClient;
  /**
   * The session, where the application keeps it: in its route, say, which `onSession` changes. Null: a new one. Default:
   * the part of the page's address after `#`, which the hook writes.
   */
  sessionId?: string | null;
}

export interface TurnpikeChat extends ChatState, Pick<Chat, 'send' | 'stop' | 'answer' | 'reload'> {
  /**
   * Shows another session. An application that keeps the session itself changes `sessionId` instead.
   *
   * @param sessionId absent: a new one, which the first message makes.
   */
  open(sessionId?: string): void;
}

/**
 * A chat of a React page: its messages, and what a person does with it. After a reload it has the same messages, and
 * follows the answer that comes; an open question is still there. Turns do not end when the page is left.
 */
export function useTurnpikeChat(options: TurnpikeChatOptions): TurnpikeChat {
  const { client, sessionId } = options;
  const isInAddress = sessionId === undefined;
  const chat = useMemo(() => new Chat(client), [client]);
  const address = useSyncExternalStore(watchAddress, sessionInAddress, () => undefined);
  const shown = isInAddress ? address : (sessionId ?? undefined);
  const state = shownState(shown, useSyncExternalStore(chat.subscribe, chat.get, chat.get));
  useEffect(() => {
    const { session, opts, onSession } = options;
    chat.settings = {
      ...(session !== undefined && { session }),
      ...(opts !== undefined && { opts }),
      onSession: (made) => {
        if (isInAddress) history.replaceState(history.state, '', `#${made}`);
        onSession?.(made);
      },
    };
  });
  useEffect(() => () => chat.close(), [chat]);
  useEffect(() => chat.open(shown), [chat, shown]);
  const { send, stop, answer, reload } = chat;
  return { ...state, send, stop, answer, reload, open: openInAddress };
}

/** Until the effect that opens it, a session is not known: a page that said `ready` would send to a new one. */
function shownState(shown: string | undefined, state: ChatState): ChatState {
  if (shown === undefined || state.sessionId === shown) return state;
  return { sessionId: shown, messages: [], status: 'loading' };
}

const FORM = /^#(sess_[\w-]+)$/;

function sessionInAddress(): string | undefined {
  return FORM.exec(location.hash)?.[1];
}

function watchAddress(onChange: () => void): () => void {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}

function openInAddress(sessionId = ''): void {
  // The hook hears of it, as of the browser's own buttons.
  location.hash = sessionId;
}
