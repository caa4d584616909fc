import open from 'open';
import { parseArgs } from 'node:util';
import { AgentsInvalidError } from '../../agents/check-agents.js';
import { ConfigError, parseConfig, type Config } from '../../config/config.js';
import { ExtensionError } from '../../extensions/extension-error.js';
import { McpFileError } from '../../tools/mcp/definitions/mcp-file.js';
import { ModelsInvalidError } from '../../provider/models/models-invalid-error.js';
import { PermissionsInvalidError } from '../../options/load-permissions.js';
import { errorCode } from '../../platform/error-code.js';
import { createLogger, type Logger } from '../../platform/logger.js';
import { startWatchdog } from '../../platform/watchdog.js';
import type { Server } from '../../http/serve.js';
import { openLog } from '../../http/process-log.js';
import { PROVIDER_MODE, type ProviderMode } from '../../provider/provider-config.js';
import { SHELLS, type Shells } from '../../tools/sandbox/shells.js';
import { findServiceLinks } from '../../config/service-links.js';
import { UnreachableError } from '../../storage/unreachable-error.js';
import { DataFolderBusyError } from '../../storage/data-folder.js';
import { describeStart, startLine, type Started } from './describe-start.js';
import { exitCodeOf } from './explain-failure.js';

type Environment = Record<string, string | undefined>;

/**
 * `turnpike serve`: runs until SIGINT or SIGTERM, then stops in order. A second signal stops at
 * once.
 *
 * @returns the exit code: 0 after an orderly stop, 1 when it could not start, 2 for a wrong call.
 */
export async function serveCommand(args: readonly string[], given: Environment): Promise<number> {
  let environment = given;
  try {
    const asked = readArguments(args);
    environment = { ...given, ...asked.environment };
    const config = parseConfig(environment);
    // Loaded here, so that a bad configuration is told before anything heavy is read.
    const { serve } = await import('../../http/serve.js');
    const readable = process.stderr.isTTY;
    const logger = openLog(config, readable);
    // Before the first turn is taken; until then nothing of others runs.
    const stopWatchdog = watch(config, logger, readable);
    const server = await serve({ config, environment, logger });
    // Whoever reads that it serves may stop it in the same moment.
    const stopping = stopSignal();
    const mode = server.get<ProviderMode>(PROVIDER_MODE);
    sayThatItServes({ config, mode, shells: server.get<Shells>(SHELLS) }, server.url);
    if (asked.open) await openPage(`${server.url}/docs`);
    await stopping;
    const code = await stop(server);
    await stopWatchdog();
    return code;
  } catch (error) {
    console.error(explainStartFailure(error, environment));
    return exitCodeOf(error);
  }
}

function watch({ watchdogMs }: Config, logger: Logger, readable: boolean): () => Promise<void> {
  if (watchdogMs === 0) return async () => undefined;
  return startWatchdog({
    stillMs: watchdogMs,
    message: `the event loop stood still for ${watchdogMs} ms (TURNPIKE_WATCHDOG_MS): the process is ended, and its turns go on elsewhere or at its next start`,
    readable,
    onError: (error) => logger.warn({ error }, 'nothing watches the event loop'),
  });
}

/** In a terminal for people; else one line among those of the log, whatever its level is. */
function sayThatItServes(started: Started, url: string): void {
  if (process.stdout.isTTY) return console.log(describeStart(started, url));
  const destination = process.stdout;
  const redact = (line: string): string => line;
  const log = createLogger({ level: 'info', readable: false, redact, destination });
  const { message, ...fields } = startLine(started, url);
  log.info(fields, message);
}

async function stop(server: Server): Promise<number> {
  try {
    await server.close();
    return 0;
  } catch (error) {
    console.error(
      'Turnpike did not stop in order; the next start goes on with what is left.',
      error,
    );
    return 1;
  }
}

/** `--port` and `--role` stand for their variables; what they may be is checked with the rest. */
function readArguments(args: readonly string[]): { environment: Environment; open: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      role: { type: 'string' },
      open: { type: 'boolean', default: false },
    },
  });
  return {
    environment: {
      ...(values.port === undefined ? {} : { TURNPIKE_PORT: values.port }),
      ...(values.role === undefined ? {} : { TURNPIKE_ROLE: values.role }),
    },
    open: values.open,
  };
}

/** A server without a screen serves all the same. */
async function openPage(url: string): Promise<void> {
  try {
    const browser = await open(url);
    const say = (): void => console.error(`No browser could be opened; the page is ${url}`);
    browser.once('error', say);
    // What opens a page is there without a browser, too. One that was killed had opened it.
    browser.once('exit', (code) => {
      if (code !== 0 && code !== null) say();
    });
  } catch (error) {
    console.error(`No browser could be opened; the page is ${url}`, error);
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** What went wrong, and what to do. */
export function explainStartFailure(error: unknown, environment: Environment): string {
  const explained = [
    AgentsInvalidError,
    ConfigError,
    DataFolderBusyError,
    ExtensionError,
    McpFileError,
    ModelsInvalidError,
    PermissionsInvalidError,
    UnreachableError,
  ];
  if (explained.some((type) => error instanceof type)) return (error as Error).message;
  if (errorCode(error)?.startsWith('ERR_PARSE_ARGS') === true) return (error as Error).message;
  if (errorCode(error) === 'EADDRINUSE') {
    const port = portOf(environment);
    return `Port ${port} is in use. Stop what uses it, or choose another one with --port or TURNPIKE_PORT (0 picks a free one).`;
  }
  return `Turnpike could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function portOf(environment: Environment): Config['port'] | string {
  return findServiceLinks(environment).includes('TURNPIKE_PORT')
    ? 4400
    : (environment['TURNPIKE_PORT'] ?? 4400);
}
