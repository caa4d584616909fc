import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { TurnOptions, TurnResult, TurnpikeClient } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer, type FoundServer } from '../server/find-server.js';
import { interruptOnSignal } from '../terminal/interrupt-on-signal.js';
import {
  emptyTurnError,
  parseTurnArguments,
  type TurnArguments,
} from '../arguments/parse-turn-arguments.js';
import { printTurn } from '../render/print-turn.js';
import { openScreen, reportRetries, type Screen } from '../terminal/screen.js';
import { plainText } from '../terminal/plain-text.js';
import { UsageError } from '../arguments/usage-error.js';
import { uploadFiles } from '../server/upload-files.js';

type Environment = Record<string, string | undefined>;

/**
 * `turnpike turn`: runs one turn and prints its stream.
 *
 * @returns the turn's exit code; 1 when the turn was refused or lost; 2 for a wrong call.
 */
export async function turnCommand(
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  let server: FoundServer | undefined;
  try {
    // npm runs scripts in the package's folder; `INIT_CWD` is the user's.
    const folder = environment['INIT_CWD'] ?? process.cwd();
    const wanted = parseTurnArguments(args, { folder, isPiped: !process.stdin.isTTY });
    const message = wanted.message === '-' ? await readAll(process.stdin) : wanted.message;
    if (message.trim() === '' && wanted.attachments.length === 0) throw emptyTurnError();
    // A file that is no schema leaves no session behind.
    const opts = Object.assign(wanted.opts, await outputOf(wanted));
    const orElse = wanted.start ? 'start' : 'offer';
    server = await findServer(environment, { url: wanted.url, orElse });
    const screen = openScreen(environment, wanted.json);
    const client = clientOf(server, reportRetries(screen));
    const attachments = await attach(client, wanted, message);
    const sessionId = wanted.sessionId ?? (await sessionFor(client, folder, wanted));
    return await runTurn(client, { ...wanted, opts, attachments, message, sessionId }, screen);
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  } finally {
    await server?.close();
  }
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
  client: TurnpikeClient,
  wanted: TurnArguments & { sessionId: string },
  screen: Screen,
): Promise<number> {
  const { sessionId, message, attachments, opts } = wanted;
  const starting = client.turn({ sessionId, message, attachments, opts });
  const stopListening = interruptOnSignal(async () => (await starting).interrupt());
  try {
    const turn = await starting;
    const isObjectAlone = wanted.outputFile !== undefined && !wanted.json;
    return isObjectAlone ? printOutput(await turn.result()) : await printTurn(turn, screen);
  } finally {
    stopListening();
  }
}
