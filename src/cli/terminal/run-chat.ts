import type { HarnessEvent, Turn, TurnpikeClient } from '../../client/turnpike-client.js';
import { askApproval, type AskDeps } from './ask-approval.js';
import { describeSession } from '../render/describe-listed.js';
import { explainFailure } from '../commands/explain-failure.js';
import { pressOnceOrLeave } from './interrupt-on-signal.js';
import { printTurn } from '../render/print-turn.js';
import { chatHelp, readChatLine, type ChatLine } from './read-chat-line.js';

export interface ChatDeps extends AskDeps {
  client: TurnpikeClient;
  /** Where new sessions work. */
  projectRoot: string;
  /** Calls back at each Ctrl-C, until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
}

export interface WantedChat {
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
 * A conversation, message by message, until its person leaves.
 *
 * @returns 0 at a terminal; else the exit code of the last turn.
 * @throws TurnpikeError where the session to go on with is not there.
 */
export async function runChat(deps: ChatDeps, wanted: WantedChat): Promise<number> {
  const { client, input, screen } = deps;
  const { sessionId } = wanted;
  if (sessionId !== undefined) await client.sessions.get(sessionId);
  const chat: Chat = { sessionId, model: undefined, lastModel: undefined, exitCode: 0 };
  if (input.isTerminal) screen.err(screen.paint('dim', '/help says what there is.\n'));
  for (;;) {
    const text = await input.line('› ');
    if (text === undefined) break;
    const line = readChatLine(text);
    if (line.type === 'quit') break;
    try {
      if (line.type === 'message') chat.exitCode = await runOne(deps, chat, wanted, line.text);
      else await obey(deps, chat, line);
    } catch (error) {
      // The next message may do better.
      chat.exitCode = 1;
      screen.err(`${screen.paint('red', `✗ ${explainFailure(error)}`)}\n`);
    }
  }
  return input.isTerminal ? 0 : chat.exitCode;
}

async function runOne(
  deps: ChatDeps,
  chat: Chat,
  { agent }: WantedChat,
  message: string,
): Promise<number> {
  const starting = start(deps, chat, agent, message);
  let isAttended = true;
  // Heard from now on: a turn that is not there yet is ended as soon as it is.
  const interrupt = pressOnceOrLeave(async () => {
    // What it still asks is answered by its end.
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
        // A Ctrl-C at a terminal. Where nobody is there, others may answer.
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
  const persona = agent === undefined ? {} : { persona: agent };
  if (chat.sessionId === undefined) {
    chat.sessionId = (await client.sessions.create({ projectRoot, ...persona })).sessionId;
    screen.err(screen.paint('dim', `session ${chat.sessionId}\n`));
  }
  const opts = { ...persona, ...(chat.model === undefined ? {} : { model: chat.model }) };
  return client.turn({ sessionId: chat.sessionId, message, opts });
}

type QuestionEvent = Extract<
  HarnessEvent,
  { event: 'approval:request' | 'subagent:approval:request' }
>;

function isQuestion(event: HarnessEvent): event is QuestionEvent {
  return event.event === 'approval:request' || event.event === 'subagent:approval:request';
}

async function obey({ client, screen }: ChatDeps, chat: Chat, line: ChatLine): Promise<void> {
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
      for (const session of (await client.sessions.list({ limit: 20 })).sessions) {
        screen.err(`${describeSession(session)}\n`);
      }
      return undefined;
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
