import { commandName } from '../../platform/process/command-name.js';
import { Option } from '@commander-js/extra-typings';
import { readFile, access, constants, stat } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import path from 'node:path';
import { openAsBlob } from 'node:fs';
import {
  TurnpikeError,
  type Turn,
  type TurnOptions,
  type TurnResult,
  type TurnpikeClient,
} from '../../client/turnpike-client.js';
import { unknownName } from '../../platform/parsing/nearest-name.js';
import { serverToolNames, permissionModes } from '../../storage/shapes/stored-options.js';
import { askApproval, isQuestion, type AskDeps, type Question } from '../terminal/ask-approval.js';
import { terminalInput } from '../terminal/terminal-input.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { readWritten } from '../../platform/text/written-text.js';
import { clientOf } from '../server/find-server.js';
import { createSession, type WantedSession } from '../server/create-session.js';
import { runOnServer } from '../server/run-on-server.js';
import { interruptOnSignal } from '../terminal/interrupt-on-signal.js';
import { printTurn, type TurnAnswers } from '../render/print-turn.js';
import { openScreen, reportRetries, plainText, type Screen } from '../terminal/screen.js';
import {
  EXIT_WAITING,
  answerUnasked,
  isAttended,
  leaveUnanswered,
} from '../terminal/unattended.js';
import {
  collect,
  jsonOption,
  projectOption,
  startOption,
  urlOption,
  UsageError,
  type Cli,
  type CliCommand,
} from '../command.js';
import { errorCode } from '../../platform/error-code.js';

/**
 * `turnpike turn`: runs one turn and prints its stream. Exit code: the turn's; 1 when it was refused or lost; 3 where it
 * waits for an answer and nobody is asked.
 */
export function turnCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('[MESSAGE...]', 'the message; if it is - or left out, standard input is read')
    .option('--attach <FILE>', 'attach a file; may be repeated', collect)
    .option('--session <ID>', 'continue a session; default: a new one in the current folder')
    .addOption(projectOption)
    .option('--agent <NAME>', `a named agent (${commandName()} agents lists them)`)
    .addOption(
      // In any case of its letters, as in the API: `choices` alone would be strict.
      new Option('--mode <MODE>', 'the permission mode')
        .choices(permissionModes)
        .argParser(parseMode),
    )
    .option('--model <MODEL>', `a model (${commandName()} models lists them)`)
    .option('--tools <A,B>', 'the tools that the turn may use')
    .option('--replaces <TURN>', 'replace an ended turn, and all turns after it')
    .option(
      '--output <FILE>',
      'end with an object of the JSON Schema in the file, and print only that; exit with 1 without one',
    )
    .addOption(
      new Option('--approve', 'approve each tool call that asks, instead of asking you').conflicts(
        'deny',
      ),
    )
    .option('--deny', 'deny everything that the turn asks; the model continues without it')
    .addOption(jsonOption)
    .addOption(startOption)
    .addOption(urlOption)
    .action((words, options) => run(cli, words, options));
}

/** The options as the command line gave them. */
interface GivenOptions {
  url?: string | undefined;
  start?: true | undefined;
  attach?: string[] | undefined;
  session?: string | undefined;
  project?: string | undefined;
  tools?: string | undefined;
  output?: string | undefined;
  json?: true | undefined;
  agent?: string | undefined;
  mode?: TurnOptions['mode'];
  model?: string | undefined;
  replaces?: string | undefined;
  approve?: true | undefined;
  deny?: true | undefined;
}

async function run(cli: Cli, words: readonly string[], given: GivenOptions): Promise<void> {
  const { environment } = cli;
  // npm runs scripts in the package's folder; `INIT_CWD` is the user's.
  const folder = environment['INIT_CWD'] ?? process.cwd();
  const { url, session, project, agent, replaces, attach: files = [] } = given;
  const message = await readMessage(words);
  if (message.trim() === '' && files.length === 0) {
    throw new UsageError(
      `Say what the turn is about: ${commandName()} turn "MESSAGE" (or --attach FILE).`,
    );
  }
  // A wrong call leaves no session behind.
  const opts = await readOptions(given, folder);
  const attachments = files.map((file) => path.resolve(folder, file));
  for (const file of attachments) await requireFile(file);
  const orElse = given.start === true ? 'start' : 'offer';
  await runOnServer(cli, { url, orElse }, async (server) => {
    const screen = openScreen(environment, given.json === true);
    const client = clientOf(server, reportRetries(screen));
    await requireTools(client, opts);
    const uploaded = await attach(client, attachments, message);
    const isNew = session === undefined && replaces === undefined;
    const sessionId = session ?? (await sessionFor(client, { project, folder, agent, replaces }));
    const wanted = { sessionId, message, attachments: uploaded, opts };
    const decision = given.approve === true ? 'approve' : given.deny === true ? 'deny' : undefined;
    const deps = { client, screen, environment, decision, hasOwnServer: server.isOwn } as const;
    return runTurn(deps, wanted).catch(async (error: unknown) => {
      // Refused before it began: a session without a turn is of no use.
      if (isNew && error instanceof TurnpikeError) await client.sessions.delete(sessionId);
      throw error;
    });
  });
}

/** @throws UsageError for a schema that cannot be read. */
async function readOptions(
  { mode, model, agent, replaces, tools, output }: GivenOptions,
  folder: string,
): Promise<TurnOptions> {
  return {
    ...compact({ mode, model, persona: agent, replaces }),
    ...(tools === undefined ? {} : { tools: tools.split(',').filter((name) => name !== '') }),
    ...(output === undefined ? {} : await readFormat(path.resolve(folder, output))),
  };
}

async function readMessage(words: readonly string[]): Promise<string> {
  const isPiped = words.length === 0 && !process.stdin.isTTY;
  const typed = words.join(' ');
  return isPiped || typed === '-' ? readAll(process.stdin) : typed;
}

/** @throws UsageError. */
function parseMode(given: string): string {
  const isMode = permissionModes.some((known) => known.toLowerCase() === given.toLowerCase());
  if (isMode) return given;
  throw new UsageError(`--mode ${unknownName('mode', given, permissionModes)}.`);
}

/** @throws UsageError for names that no tool of the server has; those of MCP servers are found when they are used. */
async function requireTools(client: TurnpikeClient, { tools = [] }: TurnOptions): Promise<void> {
  const wanted = tools.filter((name) => !name.startsWith('mcp__'));
  if (wanted.length === 0) return;
  const known = [...(await client.tools()).map(({ name }) => name), ...serverToolNames];
  const missing = wanted.find((name) => !known.includes(name));
  if (missing !== undefined)
    throw new UsageError(`--tools ${unknownName('tool', missing, known)}.`);
}

/** Uploads the files; without the refused ones the turn still runs if it has a message or a file. */
async function attach(
  client: TurnpikeClient,
  files: readonly string[],
  message: string,
): Promise<string[]> {
  const warn = (text: string): void => void process.stderr.write(`${text}\n`);
  const taken = await uploadFiles(client, files, warn);
  if (taken.length === 0 && message.trim() === '') {
    throw new Error('No file was uploaded and there is no message: no turn was started.');
  }
  return taken;
}

/** The JSON Schema in a file as an option. @throws UsageError where there is none. */
async function readFormat(outputFile: string): Promise<Pick<TurnOptions, 'output'>> {
  await requireFile(outputFile);
  const source = readWritten(await readFile(outputFile));
  if ('fault' in source) throw new UsageError(`${outputFile} ${source.fault}; save it as UTF-8.`);
  try {
    const schema: unknown = JSON.parse(source.text);
    if (isPlainObject(schema)) return { output: { schema: schema as JsonObject } };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UsageError(`${outputFile} is no JSON Schema: it must be a JSON object.`);
}

/** Prints the turn's object alone. @returns 0, or a code that says that there is none. */
function printOutput({ output, outcome, reason, exitCode, error }: TurnResult): number {
  if (output !== undefined) {
    process.stdout.write(`${JSON.stringify(output, null, 2)}\n`);
    return 0;
  }
  const why = error?.message ?? `The turn ended with no object: ${outcome}, ${reason}.`;
  process.stderr.write(`${plainText(why)}\n`);
  return exitCode === 0 ? 1 : exitCode;
}

/** The session of the turn that is replaced, or a new one. */
async function sessionFor(
  client: TurnpikeClient,
  { replaces, ...wanted }: WantedSession & { replaces: string | undefined },
): Promise<string> {
  if (replaces !== undefined) return (await client.turns.get(replaces)).sessionId;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const sessionId = await createSession(client, wanted, say);
  say(`session ${sessionId}`);
  return sessionId;
}

interface RunDeps extends Pick<AskDeps, 'screen' | 'environment'> {
  client: TurnpikeClient;
  /** This decision answers the turn's questions, in place of a person. */
  decision: 'approve' | 'deny' | undefined;
  hasOwnServer: boolean;
}

async function runTurn(
  deps: RunDeps,
  wanted: { sessionId: string; message: string; attachments: string[]; opts: TurnOptions },
): Promise<number> {
  const { client, screen } = deps;
  const starting = client.turn(wanted);
  const stopListening = interruptOnSignal(async () => (await starting).interrupt());
  try {
    const turn = await starting;
    const isObjectAlone = wanted.opts.output !== undefined && !screen.json;
    const answers = answersOf(deps, turn, isAttended(screen) && !isObjectAlone);
    if (!isObjectAlone) return await printTurn(turn, screen, answers);
    const exitCode = await printTurn(turn, silent(screen), answers);
    return exitCode === EXIT_WAITING ? exitCode : printOutput(await turn.result());
  } finally {
    stopListening();
  }
}

/** A decision of the command line answers; else a person at a terminal; else the turn is left. */
function answersOf(deps: RunDeps, turn: Turn, mayAsk: boolean): TurnAnswers {
  const { client, screen, environment, decision } = deps;
  const leave = leaveUnanswered(client, turn, deps);
  const onQuestion = (
    answer: (question: Question) => Promise<void>,
  ): NonNullable<TurnAnswers['ask']> => {
    return (event) => (isQuestion(event) ? () => answer(event.data) : undefined);
  };
  if (decision !== undefined) {
    return { leave, ask: onQuestion((question) => answerUnasked(deps, question, decision)) };
  }
  if (!mayAsk) return { leave };
  const input = terminalInput(process.stdin, process.stdout);
  const ask = onQuestion(async (question) => {
    if (!(await askApproval({ client, screen, environment, input }, question)))
      await turn.interrupt();
  });
  return { ask };
}

/** A screen for a turn whose object alone is printed. */
function silent(screen: Screen): Screen {
  return { ...screen, out: () => undefined, err: () => undefined };
}

/**
 * Uploads local files.
 *
 * @param warn called for each file that was refused or changed.
 * @returns the ids of the uploaded files, for a turn's `attachments`.
 * @throws the client's errors other than ATTACHMENT_FAILURE.
 */
export async function uploadFiles(
  client: TurnpikeClient,
  files: readonly string[],
  warn: (text: string) => void,
): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const fault = await findFault(file);
    if (fault !== undefined) {
      warn(`${file} was not taken: ${fault}`);
      continue;
    }
    try {
      // A blob over the file: its bytes are loaded while they are sent.
      const content = await openAsBlob(file);
      const { id, name, changed } = await client.uploads.send({
        name: path.basename(file),
        content,
      });
      if (changed) warn(`${name}: ${changed}`);
      ids.push(id);
    } catch (error) {
      if (!(error instanceof TurnpikeError) || error.code !== 'ATTACHMENT_FAILURE') throw error;
      warn(error.message);
    }
  }
  return ids;
}

/** @throws UsageError for a file that cannot be read. */
async function requireFile(file: string): Promise<void> {
  const fault = await findFault(file);
  if (fault !== undefined) throw new UsageError(`${file}: ${fault}.`);
}

async function findFault(file: string): Promise<string | undefined> {
  try {
    if (!(await stat(file)).isFile()) return 'this is no regular file';
    await access(file, constants.R_OK);
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'there is no such file';
    return `this file cannot be read (${errorCode(error) ?? String(error)})`;
  }
}
