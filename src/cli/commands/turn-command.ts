import { readFile, access, constants, stat } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import path from 'node:path';
import { openAsBlob } from 'node:fs';
import {
  TurnpikeError,
  type TurnOptions,
  type TurnResult,
  type TurnpikeClient,
} from '../../client/turnpike-client.js';
import { unknownName } from '../../platform/parsing/nearest-name.js';
import { serverToolNames, permissionModes } from '../../storage/shapes/stored-options.js';
import { askApproval, isQuestion, type AskDeps } from '../terminal/ask-approval.js';
import { terminalInput } from '../terminal/terminal-input.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { clientOf, type FoundServer } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { interruptOnSignal } from '../terminal/interrupt-on-signal.js';
import { printTurn } from '../render/render-turn.js';
import { openScreen, reportRetries, plainText } from '../terminal/screen.js';
import { UsageError, parseCall, startOptions } from '../arguments.js';
import { errorCode } from '../../platform/error-code.js';

type Environment = Record<string, string | undefined>;

/**
 * `turnpike turn`: runs one turn and prints its stream.
 *
 * @returns the turn's exit code; 1 when the turn was refused or lost; 2 for a wrong call.
 */
export function turnCommand(args: readonly string[], environment: Environment): Promise<number> {
  return runOnServer(environment, async () => {
    // npm runs scripts in the package's folder; `INIT_CWD` is the user's.
    const folder = environment['INIT_CWD'] ?? process.cwd();
    const wanted = parseTurnArguments(args, { folder, isPiped: !process.stdin.isTTY });
    const message = wanted.message === '-' ? await readAll(process.stdin) : wanted.message;
    if (message.trim() === '' && wanted.attachments.length === 0) throw emptyTurnError();
    // A wrong call leaves no session behind.
    const opts = Object.assign(wanted.opts, await outputOf(wanted));
    for (const file of wanted.attachments) await requireFile(file);
    const run = async (server: FoundServer): Promise<number> => {
      const screen = openScreen(environment, wanted.json);
      const client = clientOf(server, reportRetries(screen));
      await requireTools(client, wanted);
      const attachments = await attach(client, wanted, message);
      const isNew = wanted.sessionId === undefined && wanted.opts.replaces === undefined;
      const sessionId = wanted.sessionId ?? (await sessionFor(client, folder, wanted));
      const asked = { ...wanted, opts, attachments, message, sessionId };
      return runTurn({ client, screen, environment }, asked).catch(async (error: unknown) => {
        // Refused before it began: a session without a turn is of no use.
        if (isNew && error instanceof TurnpikeError) await client.sessions.delete(sessionId);
        throw error;
      });
    };
    return { url: wanted.url, orElse: wanted.start ? 'start' : 'offer', run };
  });
}

/** @throws UsageError for names that no tool of the server has; those of MCP servers are found when they are used. */
async function requireTools(client: TurnpikeClient, { opts }: TurnArguments): Promise<void> {
  const wanted = (opts.tools ?? []).filter((name) => !name.startsWith('mcp__'));
  if (wanted.length === 0) return;
  const known = [...(await client.tools()).map(({ name }) => name), ...serverToolNames];
  const missing = wanted.find((name) => !known.includes(name));
  if (missing !== undefined)
    throw new UsageError(`--tools ${unknownName('tool', missing, known)}.`);
}

/** Uploads the files; without the refused ones the turn still runs if it has a message or a file. */
async function attach(
  client: TurnpikeClient,
  { attachments }: TurnArguments,
  message: string,
): Promise<string[]> {
  const warn = (text: string): void => void process.stderr.write(`${text}\n`);
  const taken = await uploadFiles(client, attachments, warn);
  if (taken.length === 0 && message.trim() === '') {
    throw new Error('No file was uploaded and there is no message: no turn was started.');
  }
  return taken;
}

/** The schema of `--output` as an option; none without it. */
async function outputOf({ outputFile }: TurnArguments): Promise<Pick<TurnOptions, 'output'>> {
  if (outputFile === undefined) return {};
  await requireFile(outputFile);
  const source = await readFile(outputFile, 'utf8');
  try {
    const schema: unknown = JSON.parse(source);
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
  projectRoot: string,
  { persona, opts }: TurnArguments,
): Promise<string> {
  if (opts.replaces !== undefined) return (await client.turns.get(opts.replaces)).sessionId;
  const { sessionId } = await client.sessions.create(compact({ projectRoot, persona }));
  process.stderr.write(`session ${sessionId}\n`);
  return sessionId;
}

async function runTurn(
  {
    client,
    screen,
    environment,
  }: Pick<AskDeps, 'screen' | 'environment'> & { client: TurnpikeClient },
  wanted: TurnArguments & { sessionId: string },
): Promise<number> {
  const { sessionId, message, attachments, opts } = wanted;
  const starting = client.turn({ sessionId, message, attachments, opts });
  const stopListening = interruptOnSignal(async () => (await starting).interrupt());
  try {
    const turn = await starting;
    const isObjectAlone = wanted.outputFile !== undefined && !wanted.json;
    if (isObjectAlone) return printOutput(await turn.result());
    // A person at a terminal answers here; elsewhere turnpike approve does.
    const { stdin, stdout } = process;
    const isAsked = stdin.isTTY && stdout.isTTY && !screen.json;
    if (!isAsked) return await printTurn(turn, screen);
    const deps = { client, screen, environment, input: terminalInput(stdin, stdout) };
    return await printTurn(turn, screen, (event) =>
      isQuestion(event)
        ? async () => {
            if (!(await askApproval(deps, event.data))) await turn.interrupt();
          }
        : undefined,
    );
  } finally {
    stopListening();
  }
}

const options = {
  attach: { type: 'string', multiple: true },
  session: { type: 'string' },
  persona: { type: 'string' },
  mode: { type: 'string' },
  model: { type: 'string' },
  tools: { type: 'string' },
  output: { type: 'string' },
  replaces: { type: 'string' },
  json: { type: 'boolean' },
  ...startOptions,
} as const;

export interface TurnArguments {
  /** `-` stands for standard input. */
  message: string;
  /** Absolute paths. */
  attachments: string[];
  sessionId: string | undefined;
  persona: string | undefined;
  opts: TurnOptions;
  /** Absolute path of the JSON Schema of the object that the turn ends with; undefined: it ends with text. */
  outputFile: string | undefined;
  json: boolean;
  /** The value of `--url`. */
  url: string | undefined;
  /** Start a server without a question where none is found. */
  start: boolean;
}

/**
 * Parses the arguments after `turnpike turn`.
 *
 * @param caller `folder`: where relative paths start; `isPiped`: standard input is no terminal, and is the
 *   message where the arguments have none.
 * @throws UsageError
 */
export function parseTurnArguments(
  args: readonly string[],
  { folder, isPiped }: { folder: string; isPiped: boolean },
): TurnArguments {
  const { values, positionals } = parseCall(args, { options, allowPositionals: true });
  const message = positionals.length === 0 && isPiped ? '-' : positionals.join(' ');
  const attachments = (values.attach ?? []).map((file) => path.resolve(folder, file));
  if (message.trim() === '' && attachments.length === 0) throw emptyTurnError();
  const { mode, model, tools, persona } = values;
  const isMode = permissionModes.some((known) => known.toLowerCase() === mode?.toLowerCase());
  if (mode !== undefined && !isMode) {
    throw new UsageError(`--mode ${unknownName('mode', mode, permissionModes)}.`);
  }
  return {
    message,
    attachments,
    sessionId: values.session,
    persona,
    opts: compact({
      mode,
      model,
      tools: tools?.split(',').filter((name) => name !== ''),
      persona,
      replaces: values.replaces,
    }),
    outputFile: values.output === undefined ? undefined : path.resolve(folder, values.output),
    json: values.json ?? false,
    url: values.url,
    start: values.start ?? false,
  };
}

export function emptyTurnError(): UsageError {
  return new UsageError('Say what the turn is about: turnpike turn "MESSAGE" (or --attach FILE).');
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
export async function requireFile(file: string): Promise<void> {
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
