import { text as readAll } from 'node:stream/consumers';
import { AgentsInvalidError } from '../agents/check-agents.js';
import { ConfigError } from '../config.js';
import { DataFolderBusyError } from '../storage/data-folder.js';
import { findServer, type FoundServer } from './find-server.js';
import { painter } from './paint.js';
import { parseTurnArguments, UsageError, type TurnArguments } from './parse-turn-arguments.js';
import { postJson, readTurn, RefusedError, type ServerAddress } from './read-turn.js';
import { uploadFiles } from './upload-files.js';
import { renderFrame, renderStart } from './render-turn.js';

type Environment = Record<string, string | undefined>;

/**
 * `turnpike turn`: runs one turn and prints its stream.
 *
 * @returns the turn's exit code; 1 when it was refused or lost; 2 for a wrong call.
 */
export async function turnCommand(
  args: readonly string[],
  environment: Environment,
): Promise<number> {
  let server: FoundServer | undefined;
  try {
    // npm runs scripts in the package's folder; the user called from another.
    const folder = environment['INIT_CWD'] ?? process.cwd();
    const wanted = parseTurnArguments(args, folder);
    const message = wanted.message === '-' ? await readAll(process.stdin) : wanted.message;
    server = await findServer(environment);
    const attachments = await attach(server, wanted, message);
    const sessionId = wanted.sessionId ?? (await createSession(server, folder, wanted));
    return await runTurn(server, { ...wanted, attachments, message, sessionId }, environment);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  } finally {
    await server?.close();
  }
}

/** Files that cannot be taken end no turn that has something to say. */
async function attach(
  server: ServerAddress,
  wanted: TurnArguments,
  message: string,
): Promise<string[]> {
  const warn = (text: string): void => void process.stderr.write(`${text}\n`);
  try {
    return await uploadFiles(server, wanted.attachments, warn);
  } catch (error) {
    const isAboutFiles = error instanceof RefusedError && error.type === 'ATTACHMENT_FAILURE';
    if (!isAboutFiles || message.trim() === '') throw error;
    warn(error.message);
    return [];
  }
}

async function createSession(
  server: ServerAddress,
  projectRoot: string,
  wanted: TurnArguments,
): Promise<string> {
  const persona = wanted.persona === undefined ? {} : { persona: wanted.persona };
  const body = await postJson(server, '/api/harness/session/create', { projectRoot, ...persona });
  const { sessionId } = body['session'] as { sessionId: string };
  process.stderr.write(`session ${sessionId}\n`);
  return sessionId;
}

async function runTurn(
  server: ServerAddress,
  wanted: TurnArguments & { sessionId: string },
  environment: Environment,
): Promise<number> {
  const { sessionId, message, attachments, opts, json } = wanted;
  const colours = process.stderr.isTTY && environment['NO_COLOR'] === undefined;
  const paint = painter(colours);
  const stopListening = interruptOnSignal(server, sessionId);
  let state = renderStart;
  let exitCode = 1;
  try {
    const request = { sessionId, message, attachments, opts };
    const onRetry = (attempt: number): void => {
      process.stderr.write(paint('yellow', `↻ connection lost, resuming (${attempt})\n`));
    };
    for await (const frame of readTurn(server, request, onRetry)) {
      if (frame.event === 'process:exit') exitCode = Number(frame.data['exitCode']);
      if (json) {
        process.stdout.write(`${JSON.stringify(frame)}\n`);
        continue;
      }
      const rendered = renderFrame(state, frame, paint);
      state = rendered.state;
      for (const [stream, text] of rendered.writes) {
        (stream === 'out' ? process.stdout : process.stderr).write(text);
      }
    }
  } finally {
    stopListening();
  }
  return exitCode;
}

/** The first Ctrl-C ends the turn in order, and its stream says so; the second one just leaves. */
function interruptOnSignal(server: ServerAddress, sessionId: string): () => void {
  const onSignal = (): void => {
    process.once('SIGINT', () => process.exit(130));
    postJson(server, '/api/harness/interrupt', { sessionId }).catch((error: unknown) => {
      process.stderr.write(`${explain(error)}\n`);
    });
  };
  process.once('SIGINT', onSignal);
  return () => process.removeListener('SIGINT', onSignal);
}

function explain(error: unknown): string {
  if (error instanceof RefusedError) return `${error.type}: ${error.message}`;
  const explained = [UsageError, ConfigError, AgentsInvalidError, DataFolderBusyError];
  const known = explained.find((type) => error instanceof type);
  if (known !== undefined) return (error as Error).message;
  if (error instanceof TypeError && error.cause instanceof Error) {
    return `The server cannot be reached: ${error.cause.message}. Start one (npm start), or correct TURNPIKE_URL.`;
  }
  return error instanceof Error ? error.message : String(error);
}
