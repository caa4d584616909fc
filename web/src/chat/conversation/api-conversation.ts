import type { MessageView } from '../../../../src/turn/history/view-messages.js';
import { client, noteFault } from '../../app/client.js';
import { listTurns } from '../../app/console-routes.js';
import type { ConversationServer } from './conversation-server.js';

/** Turns that are looked through for those that run. */
const LATEST = 20;

/** A conversation's turns over the API. A turn goes on when the page is closed. */
export const apiConversation: ConversationServer = {
  load: (sessionId) => noted(load(sessionId)),
  turns: (sessionId) => noted(listTurns(sessionId, LATEST)),
  submit: async ({ opts, ...submission }, signal) => {
    const request = { ...submission, signal };
    const turn = await noted(
      client().turn({ ...request, opts: { onDisconnect: 'continue', ...opts } }),
    );
    const isSteered = turn.disposition.type === 'steered';
    if (isSteered) turn.leave();
    return { turnId: turn.turnId, isSteered, frames: turn };
  },
  follow: (turnId, signal) => client().follow(turnId, { signal }),
  interrupt: (turnId) => noted(client().turns.interrupt(turnId)),
};

async function load(sessionId: string) {
  const [session, messages, turns] = await Promise.all([
    client().sessions.get(sessionId),
    allMessages(sessionId),
    listTurns(sessionId, LATEST),
  ]);
  return { session, messages, turns };
}

async function allMessages(sessionId: string): Promise<MessageView[]> {
  const all: MessageView[] = [];
  let cursor: string | undefined;
  do {
    const page = await client().messages(sessionId, { limit: 200, cursor });
    all.push(...page.messages);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

function noted<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((fault: unknown) => {
    throw noteFault(fault);
  });
}
