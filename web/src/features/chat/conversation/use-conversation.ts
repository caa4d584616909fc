import { invalidate } from '../../../api/queries.js';
import { useEffect, useMemo } from 'react';
import { announce } from '../../../app/announce.js';
import { apiKey } from '../../../api/api-key.js';
import { isLost, onReconnect } from '../../../api/connection.js';
import { subscribeToTabs } from '../../../api/tabs.js';
import { useValue } from '../../../hooks/value-store.js';
import type { Conversation, ConversationState } from './conversation.js';
import { isRunning, openQuestions } from './turn-view.js';
import { openConversation } from './open-conversation.js';

/** Milliseconds between requests for turns that were started elsewhere. */
const SYNC_MS = 4_000;

/** A session's conversation, in step with other tabs and other clients. */
export function useConversation(sessionId: string): {
  conversation: Conversation;
  state: ConversationState;
  isRunning: boolean;
} {
  const key = useValue(apiKey);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- a different key makes a different conversation.
  const conversation = useMemo(() => openConversation(sessionId), [sessionId, key]);
  const state = useValue(conversation.state);
  useEffect(() => {
    const sync = (): void => {
      if (document.visibilityState === 'visible' && !isLost.get()) void conversation.sync();
    };
    const stopWaiting = onReconnect(sync);
    const timer = setInterval(sync, SYNC_MS);
    document.addEventListener('visibilitychange', sync);
    const stopListening = subscribeToTabs((news) => {
      if (news.type === 'turn' && news.sessionId === sessionId) void conversation.sync();
    });
    return () => {
      stopWaiting();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', sync);
      stopListening();
    };
  }, [conversation, sessionId]);
  const running = state.turns.some(isRunning);
  useAnnouncements(state, running);
  useFreshApprovals(state, running);
  return { conversation, state, isRunning: running };
}

/** Loads the open approvals again when a turn of the page asks, is answered or ends: the badge need not wait for a poll. */
function useFreshApprovals({ turns }: ConversationState, running: boolean): void {
  const questions = turns.flatMap(({ view }) => openQuestions(view)).join(' ');
  useEffect(() => {
    void invalidate('approvals');
  }, [questions, running]);
}

/** Announces the starts and ends of turns, and their questions, to screen readers. */
function useAnnouncements(state: ConversationState, running: boolean): void {
  const last = state.turns.at(-1)?.view;
  const call = last?.items.findLast((item) => item.kind === 'tool' && item.status === 'asked');
  const question = call?.kind === 'tool' ? call.name : undefined;
  useEffect(() => {
    if (running) announce('The agent is working.');
    void invalidate('sessions');
  }, [running]);
  useEffect(() => {
    if (question !== undefined) announce(`${question} waits for your answer.`);
  }, [question]);
  const end = last?.phase === 'ended' ? last.outcome : undefined;
  useEffect(() => {
    if (end !== undefined)
      announce(end === 'completed' ? 'The reply is complete.' : `The turn ended: ${end}.`);
  }, [end, last?.turnId]);
}
