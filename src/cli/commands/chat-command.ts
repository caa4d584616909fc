import { commandName } from '../../platform/process/command-name.js';
import { explainFailure } from '../render/explain-failure.js';
import { clientOf } from '../server/find-server.js';
import { createSession } from '../server/create-session.js';
import { runOnServer } from '../server/run-on-server.js';
import {
  jsonOption,
  projectOption,
  startOption,
  urlOption,
  type Cli,
  type CliCommand,
} from '../command.js';
import { type ChatInput, pipedInput, terminalInput } from '../terminal/terminal-input.js';
import { openScreen, plainText, reportRetries } from '../terminal/screen.js';
import type { Turn, TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { askApproval, isQuestion, type AskDeps } from '../terminal/ask-approval.js';
import { tableOfSessions } from './list-command.js';
import { linesOfTable } from '../render/table.js';
import { interruptOrLeave } from '../terminal/interrupt-on-signal.js';
import { printTurn } from '../render/print-turn.js';
import { leaveUnanswered } from '../terminal/unattended.js';

/**
 * `turnpike chat`: a conversation at a terminal, or line by line from another program. Exit code: 0 when the user left;
 * from a program the last turn's, 3 where that waits for an answer; 1 without a server or session; 130 after a second
 * Ctrl-C.
 */
export function chatCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--session <ID>', 'continue a session')
    .option('--agent <NAME>', `a named agent (${commandName()} agents lists them)`)
    .addOption(projectOption)
    .addOption(jsonOption)
    .addOption(startOption)
    .addOption(urlOption)
    .action(({ session: sessionId, agent, project, json, start: mayStart, url }) =>
      runOnServer(cli, { url, orElse: mayStart === true ? 'start' : 'offer' }, (server) => {
        const { environment } = cli;
        const screen = openScreen(environment, json === true);
        const input = openChatInput(json === true);
        // npm runs scripts in the package's folder; `INIT_CWD` is the user's.
        const folder = environment['INIT_CWD'] ?? process.cwd();
        const client = clientOf(server, reportRetries(screen));
        const { isOwn: hasOwnServer } = server;
        const terminal = { input, screen, environment, onInterrupt };
        const deps = { client, ...terminal, folder, project, hasOwnServer };
        return runChat(deps, { sessionId, agent }).finally(() => input.close());
      }),
    );
}

function onInterrupt(callback: () => void): () => void {
  process.on('SIGINT', callback);
  return () => void process.off('SIGINT', callback);
}

/** @param isPlain standard output is for a program: no prompts. */
function openChatInput(isPlain: boolean): ChatInput {
  const { stdin, stdout } = process;
  return stdin.isTTY && stdout.isTTY && !isPlain ? terminalInput(stdin, stdout) : pipedInput(stdin);
}

export interface ChatDeps extends AskDeps {
  client: TurnpikeClient;
  /** The server ends with this command. */
  hasOwnServer?: boolean;
  /** The folder that the user named for new sessions. */
  project?: string | undefined;
  /** The user's current folder. */
  folder: string;
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
 * @returns the exit code: 0 at a terminal; else that of the last turn, or 3 where it waits for an answer.
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
      else if (line.type === 'prompt') await runPrompt(deps, chat, wanted, line);
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
  prompt?: ChosenPrompt,
): Promise<number> {
  const starting = start(deps, chat, { agent, message, prompt });
  let isAttended = true;
  // Listens from now on: a Ctrl-C before the turn is accepted interrupts it right after.
  const interrupt = interruptOrLeave(async () => {
    // The turn's end answers its open questions.
    isAttended = false;
    return (await starting).interrupt();
  });
  const stopListening = deps.onInterrupt(interrupt);
  try {
    const turn = await starting;
    const leaveOpen = leaveUnanswered(deps.client, turn, deps);
    return await printTurn(turn, deps.screen, {
      ask: (event) => {
        if (event.event === 'session:init') chat.lastModel = event.data.model;
        if (!isAttended || !isQuestion(event)) return undefined;
        return async () => {
          if (await askApproval(deps, event.data)) return;
          // Ctrl-C at a terminal interrupts. At the end of piped input nobody is left to ask.
          if (deps.input.isTerminal) interrupt();
          else isAttended = false;
        };
      },
      leave: async (ids) => (isAttended || deps.input.isTerminal ? undefined : leaveOpen(ids)),
    });
  } finally {
    stopListening();
  }
}

async function start(
  deps: ChatDeps,
  chat: Chat,
  {
    agent,
    message,
    prompt,
  }: { agent: string | undefined; message: string; prompt: ChosenPrompt | undefined },
): Promise<Turn> {
  const sessionId = await openSession(deps, chat, agent);
  const opts = compact({ persona: agent, model: chat.model, prompt });
  return deps.client.turn({ sessionId, message, opts });
}

async function openSession(deps: ChatDeps, chat: Chat, agent: string | undefined): Promise<string> {
  return chat.sessionId ?? enterSession(deps, chat, await newSession(deps, agent));
}

function newSession(
  { client, screen, project, folder }: ChatDeps,
  agent: string | undefined,
): Promise<string> {
  const say = (line: string): void => screen.err(screen.paint('yellow', `${plainText(line)}\n`));
  return createSession(client, { project, folder, agent }, say);
}

/** @returns the session's id. */
function enterSession({ screen }: ChatDeps, chat: Chat, sessionId: string): string {
  chat.sessionId = sessionId;
  screen.err(screen.paint('dim', `session ${sessionId}\n`));
  return sessionId;
}

interface ChosenPrompt {
  server: string;
  name: string;
  arguments?: Record<string, string>;
}

/** Sends a prompt of an MCP server, which `/name` names; its required arguments are asked for. */
async function runPrompt(
  deps: ChatDeps,
  chat: Chat,
  wanted: ChatOptions,
  { command }: { command: string },
): Promise<void> {
  const begun = chat.sessionId;
  const sessionId = begun ?? (await newSession(deps, wanted.agent));
  let chosen: ChosenPrompt | undefined;
  try {
    chosen = await choosePrompt(deps, sessionId, command);
  } finally {
    // Only a session has prompts. One that was made to look for them does not stay where nothing is sent.
    if (chosen === undefined && begun === undefined) await deps.client.sessions.delete(sessionId);
  }
  if (chosen === undefined) {
    chat.exitCode = 1;
    return;
  }
  if (begun === undefined) enterSession(deps, chat, sessionId);
  chat.exitCode = await runMessage(deps, chat, wanted, command, chosen);
}

/** @returns undefined where there is no such prompt, and where the input ends before its arguments. */
async function choosePrompt(
  { client, input, screen }: ChatDeps,
  sessionId: string,
  command: string,
): Promise<ChosenPrompt | undefined> {
  const prompts = await client.sessions.prompts(sessionId);
  const prompt = prompts.find(({ name }) => `/${name}` === command);
  if (prompt === undefined) {
    const names = prompts.map(({ name }) => `/${plainText(name)}`).join(', ');
    const there = names === '' ? '' : `Prompts of MCP servers: ${names}\n`;
    screen.err(`There is no ${command}; nothing was sent.\n${there}${chatHelp}`);
    return undefined;
  }
  const given: Record<string, string> = {};
  for (const { name, required } of prompt.arguments) {
    const value = await input.line(`${plainText(name)}${required ? '' : ' (optional)'}: `);
    if (value === undefined) return undefined;
    if (value.trim() !== '') given[name] = value.trim();
  }
  return { server: prompt.server, name: prompt.name, arguments: given };
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
    case 'prompt':
    case 'message':
    case 'nothing':
    case 'quit':
      return undefined;
  }
}

/** A line of a chat: a message, or a command that begins with a slash. */
export type ChatLine =
  | { type: 'message'; text: string }
  | { type: 'nothing' }
  | { type: 'help' }
  | { type: 'new' }
  | { type: 'quit' }
  /** Goes on with a session; without an id, lists sessions. */
  | { type: 'sessions'; sessionId: string | undefined }
  /** Chooses a model; without a name, shows the current one. */
  | { type: 'model'; name: string | undefined }
  /** A prompt of an MCP server, or nothing that there is. */
  | { type: 'prompt'; command: string };

const chatHelp = `/new              begin a new session
/sessions [ID]    list the latest sessions, or go on with one
/model [NAME]     show the model, or choose one
/NAME             send a prompt of an MCP server; what it needs is asked for
/help             list the commands
/quit             leave; so does Ctrl-D
Ctrl-C ends the running turn; a second one leaves. A message may begin with a
path, such as /etc/hosts; write //etc for /etc.
`;

/** Parses a line; a message that begins with a slash has two. Pure. */
export function parseChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  if (text.startsWith('//')) return { type: 'message', text: text.slice(1) };
  const [command = '', argument] = text.split(/\s+/, 2);
  // Commands are one line, and their names have one slash: /etc/hosts is a path.
  const isCommand = /^\/[^/]+$/.test(command) && !text.includes('\n');
  if (!isCommand) return { type: 'message', text };
  switch (command) {
    case '/help':
      return { type: 'help' };
    case '/new':
      return { type: 'new' };
    case '/quit':
    case '/exit':
      return { type: 'quit' };
    case '/sessions':
      return { type: 'sessions', sessionId: argument };
    case '/model':
      return { type: 'model', name: argument };
    default:
      return { type: 'prompt', command };
  }
}
