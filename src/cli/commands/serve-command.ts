import { Option } from '@commander-js/extra-typings';
import open from 'open';
import type { CreatedKeyDto } from '../../access/keys/key.dto.js';
import { parseConfig, type Config } from '../../config/config.js';
import { compact } from '../../platform/compact.js';
import { createLogger, type Logger } from '../../platform/logger.js';
import { ResourceStack } from '../../platform/async/resource-stack.js';
import { setUpV8 } from '../../platform/process/v8-settings.js';
import { startWatchdog } from '../../platform/process/watchdog.js';
import type { Server } from '../../app/serve.js';
import { openDataFolder, type OpenFolder } from '../../storage/folder/open-folder.js';
import { openLog } from '../../app/process-log.js';
import { PROVIDER_MODE, type ProviderMode } from '../../provider/provider-config.js';
import { SourceFaults } from '../../tools/extensions/source-faults.js';
import { SHELLS, type Shells } from '../../tools/shells.js';
import {
  describeCreated,
  describeStart,
  startFields,
  type StartReport,
} from '../render/describe-start.js';
import { exitCodeOf } from '../render/explain-failure.js';
import { explainStartFailure } from '../render/explain-start-failure.js';
import { endOfNpm } from '../../platform/process/end-of-npm.js';
import type { Cli, CliCommand } from '../command.js';

type Environment = Cli['environment'];

/**
 * `turnpike serve`: runs until SIGINT or SIGTERM, or until npm ends that started it, then stops in order. A second signal stops at
 * once. Exit code: 0 after an orderly stop; 1 when it failed to start or stop.
 */
export function serveCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--port <N>', 'port to listen on (TURNPIKE_PORT)')
    .option('--role <ROLE>', 'api, worker or all (TURNPIKE_ROLE)')
    .option('--open', 'open the console in a browser (or the API page, if the console is off)')
    // `turnpike dev` tells this process of faults in files that have changed.
    .addOption(new Option('--watched').hideHelp())
    .action(async ({ port, role, open: isOpened = false, watched }) => {
      // The config checks their values.
      const asked = compact({ TURNPIKE_PORT: port, TURNPIKE_ROLE: role });
      const faults = watched === true ? SourceFaults.ofParent() : undefined;
      cli.exitCode = await runServer({ ...cli.environment, ...asked }, { isOpened, faults });
    });
}

async function runServer(
  environment: Environment,
  { isOpened, faults }: { isOpened: boolean; faults: SourceFaults | undefined },
): Promise<number> {
  const resources = new ResourceStack();
  try {
    const config = parseConfig(environment);
    setUpV8();
    const folder = openFolder(config, resources);
    // Loaded after the config, so that a bad variable is reported before the server's code is loaded.
    const { serve } = await import('../../app/serve.js');
    const readable = process.stderr.isTTY;
    const logger = openLog(config, readable);
    // Started before the first turn is claimed; until then no tool or extension runs.
    const stopWatchdog = guardEventLoop(config, logger, readable);
    const server = await serve({
      config,
      environment,
      logger,
      resources,
      folder,
      showFirstKey,
      ...compact({ faults }),
    });
    // Listens for signals before the announcement: a reader of that line may stop the process at once.
    const stopping = Promise.race([stopSignal(), endOfNpm(environment)]);
    const mode = server.get<ProviderMode>(PROVIDER_MODE);
    announceServing({ config, mode, shells: server.get<Shells>(SHELLS) }, server.url);
    // The console, where there is one.
    if (isOpened) await openPage(config.console ? server.url : `${server.url}/docs`);
    await stopping;
    logger.info(
      {},
      'Turnpike is stopping: running turns end or are handed to other workers (a second signal stops at once)',
    );
    const code = await stop(server);
    if (code === 0) logger.info({}, 'Turnpike has stopped');
    await stopWatchdog();
    return code;
  } catch (error) {
    complain('error', explainStartFailure(error, environment));
    // The engine's thread would keep the process alive.
    await resources.close();
    return exitCodeOf(error);
  }
}

/** Opens the data folder of a server without PostgreSQL while the server's code is loaded: its engine has a thread. */
function openFolder(
  { databaseUrl, dataDir }: Config,
  resources: ResourceStack,
): Promise<OpenFolder> | undefined {
  if (databaseUrl !== undefined) return undefined;
  const folder = resources.add(openDataFolder(dataDir), ({ release }) => release());
  // The application awaits the folder, and throws the failure; a start that failed before needs none.
  folder.catch(() => undefined);
  return folder;
}

function guardEventLoop(
  { watchdogMs }: Config,
  logger: Logger,
  readable: boolean,
): () => Promise<void> {
  if (watchdogMs === 0) return async () => undefined;
  return startWatchdog({
    stillMs: watchdogMs,
    lastLine: `the event loop stood still for ${watchdogMs} ms (TURNPIKE_WATCHDOG_MS); this process ends now, and its turns go on in another one or at its next start`,
    readable,
    onError: (error) =>
      logger.warn(
        { error },
        'the event loop watchdog failed; this process runs on without it, and a blocked event loop no longer ends it. Restart the process',
      ),
  });
}

/** Prints text on a terminal; elsewhere one log line, whatever the log level. */
export function complain(level: 'warn' | 'error', text: string, ...error: unknown[]): void {
  if (process.stderr.isTTY) return console.error(text, ...error);
  const log = createLogger({ level, readable: false, redact: (line) => line });
  log[level](error.length === 0 ? {} : { error: error[0] }, text);
}

/** Prints a page on a terminal; elsewhere one log line, whatever the log level. */
function announceServing(started: StartReport, url: string): void {
  if (process.stdout.isTTY) return console.log(describeStart(started, url));
  const destination = process.stdout;
  const redact = (line: string): string => line;
  const log = createLogger({ level: 'info', readable: false, redact, destination });
  const { message, ...fields } = startFields(started, url);
  log.info(fields, message);
}

/** Prints text on a terminal; elsewhere one log line, whatever the log level. The log itself hides keys. */
function showFirstKey(created: CreatedKeyDto): void {
  if (process.stderr.isTTY) {
    return console.error(`\n${created.secret}\n\n${describeCreated(created)}\n`);
  }
  const redact = (line: string): string => line;
  const log = createLogger({ level: 'warn', readable: false, redact });
  const { principal, scopes } = created.key;
  log.warn(
    { key: created.secret, principal, scopes },
    'created the first API key, which is shown only now; send it as Authorization: Bearer KEY',
  );
}

async function stop(server: Server): Promise<number> {
  try {
    await server.close();
    return 0;
  } catch (error) {
    const text =
      'Turnpike did not stop in order; the next start, or another process, goes on with its turns.';
    complain('error', text, error);
    return 1;
  }
}

/** Opens a page in the browser; without a browser it only says so. */
async function openPage(url: string): Promise<void> {
  try {
    const browser = await open(url);
    const warn = (): void => complain('warn', `could not open a browser; the page is ${url}`);
    browser.once('error', warn);
    // The opener exits with a code where there is no browser; it was killed only after it had opened one.
    browser.once('exit', (code) => {
      if (code !== 0 && code !== null) warn();
    });
  } catch (error) {
    complain('warn', `could not open a browser; the page is ${url}`, error);
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
