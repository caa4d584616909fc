import type { Turn, TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { askApproval, isQuestion, type AskDeps } from './ask-approval.js';
import { linesOfTable, tableOfSessions } from '../render/describe-listed.js';
import { explainFailure } from '../render/explain-failure.js';
import { interruptOrLeave } from './interrupt-on-signal.js';
import { printTurn } from '../render/print-turn.js';
import { chatHelp, parseChatLine, type ChatLine } from './parse-chat-line.js';

export interface ChatDeps extends AskDeps {
  client: TurnpikeClient;
  /** The project root of new sessions. */
  projectRoot: string;
  /** Calls `callback` at each Ctrl-C until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
}

export interface ChatOptions {
  sessionId: string | undefined;
  agent: string | undefined;
}

interface Chat {
  sessionId: string | undefined;
  model: string | undefined;
  lastModel: string | undefined;
  exitCode: number;
}

/**
 * Runs a conversation until the end of input.
 *
 * @returns the exit code: 0 at a terminal; else that of the last turn.
 * @throws TurnpikeError where the session does not exist.
 */
export async function runChat(deps: ChatDeps, wanted: ChatOptions): Promise<number> {
  const { client, input, screen } = deps;
  const { sessionId } = wanted;
  if (sessionId !== undefined) await client.sessions.get(sessionId);
  const chat: Chat = { sessionId, model: undefined, lastModel: undefined, exitCode: 0 };
  if (input.isTerminal) screen.err(screen.paint('dim', '/help lists the commands.\n'));
  for (;;) {
    const text = await input.line('› ');
    if (text === undefined) break;
    const line = parseChatLine(text);
    if (line.type === 'quit') break;
    try {
      if (line.type === 'message') chat.exitCode = await runMessage(deps, chat, wanted, line.text);
      else await runChatCommand(deps, chat, line);
    } catch (error) {
      // A failure ends the message, not the chat.
      chat.exitCode = 1;
      screen.err(`${screen.paint('red', `✗ ${explainFailure(error)}`)}\n`);
    }
  }
  return input.isTerminal ? 0 : chat.exitCode;
}

async function runMessage(
  deps: ChatDeps,
  chat: Chat,
  { agent }: ChatOptions,
  message: string,
): Promise<number> {
  const starting = start(deps, chat, agent, message);
  let isAttended = true;
  // Listens from now on: a Ctrl-C before the turn is accepted interrupts it right after.
  const interrupt = interruptOrLeave(async () => {
    // The turn's end answers its open questions.
    isAttended = false;
    return (await starting).interrupt();
  });
  const stopListening = deps.onInterrupt(interrupt);
  try {
    return await printTurn(await starting, deps.screen, (event) => {
      if (event.event === 'session:init') chat.lastModel = event.data.model;
      if (!isAttended || !isQuestion(event)) return undefined;
      return async () => {
        if (await askApproval(deps, event.data)) return;
        // Ctrl-C at a terminal interrupts. At the end of piped input, others may still answer.
        if (deps.input.isTerminal) interrupt();
        else isAttended = false;
      };
    });
  } finally {
    stopListening();
  }
}

async function start(
  { client, projectRoot, screen }: ChatDeps,
  chat: Chat,
  agent: string | undefined,
  message: string,
): Promise<Turn> {
  if (chat.sessionId === undefined) {
    chat.sessionId = (
      await client.sessions.create(compact({ projectRoot, persona: agent }))
    ).sessionId;
    screen.err(screen.paint('dim', `session ${chat.sessionId}\n`));
  }
  const opts = compact({ persona: agent, model: chat.model });
  return client.turn({ sessionId: chat.sessionId, message, opts });
}

async function runChatCommand(
  { client, screen }: ChatDeps,
  chat: Chat,
  line: ChatLine,
): Promise<void> {
  switch (line.type) {
    case 'help':
      return screen.err(chatHelp);
    case 'new':
      chat.sessionId = undefined;
      return screen.err('The next message begins a new session.\n');
    case 'sessions':
      if (line.sessionId !== undefined) {
        chat.sessionId = (await client.sessions.get(line.sessionId)).sessionId;
        return screen.err(`Going on with ${chat.sessionId}.\n`);
      }
      return screen.err(
        linesOfTable(
          tableOfSessions((await client.sessions.list({ limit: 20 })).sessions),
          screen.columns,
        )
          .map((line) => `${line}\n`)
          .join(''),
      );
    case 'model':
      chat.model = line.name ?? chat.model;
      return screen.err(`${chat.model ?? chat.lastModel ?? 'The server’s default model'}\n`);
    case 'unknown':
      return screen.err(`There is no ${line.command}.\n${chatHelp}`);
    case 'message':
    case 'nothing':
    case 'quit':
      return undefined;
  }
}
