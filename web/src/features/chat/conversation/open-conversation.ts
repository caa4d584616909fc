import { apiKey } from '../../../api/api-key.js';
import { publishToTabs } from '../../../api/tabs.js';
import type { MessageDto } from '#src/turn/history/messages.dto.js';
import { compact } from '#src/platform/compact.js';
import { client, reportFault } from '../../../api/client.js';
import { optionsOfTurn } from '../turn/options-of-turn.js';
import { Conversation } from './conversation.js';
import type { ConversationServer } from './conversation-server.js';

/** The conversation that was shown last. It keeps running while another page is shown. */
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

/** Number of the latest turns that are checked for active ones. */
const LATEST = 20;

/** The conversation's server, over the API. Turns keep running after the page is closed. */
const apiConversation: ConversationServer = {
  session: (sessionId) => reportingFaults(client().sessions.get(sessionId)),
  messages: (sessionId) => reportingFaults(allMessages(sessionId)),
  turns: (sessionId) => reportingFaults(latestTurns(sessionId)),
  submit: async ({ opts, replaces, ...submission }, signal) => {
    const turn = await reportingFaults(
      (async () => {
        const before =
          replaces === undefined ? {} : optionsOfTurn(await client().turns.get(replaces));
        return client().turn({
          ...submission,
          signal,
          opts: { onDisconnect: 'continue', ...before, ...opts, ...compact({ replaces }) },
        });
      })(),
    );
    const isSteered = turn.disposition.type === 'steered';
    if (isSteered) turn.leave();
    return { turnId: turn.turnId, isSteered, frames: turn };
  },
  follow: (turnId, signal) => client().follow(turnId, { signal }),
  interrupt: (turnId) => reportingFaults(client().turns.interrupt(turnId)),
};

async function latestTurns(sessionId: string) {
  return (await client().sessions.turns(sessionId, { limit: LATEST })).turns;
}

/** All messages, those of superseded turns as well. */
async function allMessages(sessionId: string): Promise<MessageDto[]> {
  const all: MessageDto[] = [];
  let cursor: string | undefined;
  do {
    const page = await client().sessions.messages(sessionId, {
      limit: 200,
      cursor,
      superseded: 'show',
    });
    all.push(...page.messages);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

function reportingFaults<T>(request: Promise<T>): Promise<T> {
  return request.catch((fault: unknown) => {
    throw reportFault(fault);
  });
}
