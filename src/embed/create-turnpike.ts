import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { TurnpikeClient, TurnpikeError } from '../client/turnpike-client.js';
import { HOST_AUTHENTICATOR } from '../access/custom-authenticators.js';
import { assemble, type Assembled } from '../app/serve.js';
import { openLog, redactOf } from '../app/process-log.js';
import type { ProcessValues } from '../config/config.module.js';
import { ConfigError, parseConfig } from '../config/config.js';
import { nodeFault } from '../platform/process/node-version.js';
import { nearestName } from '../platform/parsing/nearest-name.js';
import { compact } from '../platform/compact.js';
import { describeError, type Logger, type LogFields } from '../platform/logger.js';
import type { Redact } from '../platform/text/redact.js';
import type { Extension, ExtensionCaller } from '../tools/extensions/extend.js';
import { openInnerFetch } from './inner-fetch.js';
import type { EmbeddedTurnpike, TurnpikeLogger, TurnpikeOptions } from './embed-types.js';

export type * from './embed-types.js';

/** Headers of the inner client: its secret, and whom it acts as. */
const SECRET_HEADER = 'x-turnpike-host-secret';
const PRINCIPAL_HEADER = 'x-turnpike-host-principal';

/** Settings of a process that listens, which this one does not. */
const ofListeners = ['TURNPIKE_HOST', 'TURNPIKE_PORT', 'TURNPIKE_METRICS_PORT'];

/**
 * Makes a Turnpike inside of this process. It reads no environment, opens no port, handles no signal and ends no
 * process. Several may be in one process, each with a data folder of its own.
 *
 * @throws ConfigError that names every wrong option; DataFolderBusyError; ExtensionError; UnreachableError; Error where
 *   Node is too old.
 */
export async function createTurnpike(options: TurnpikeOptions): Promise<EmbeddedTurnpike> {
  const tooOld = nodeFault();
  if (tooOld !== undefined) throw new Error(tooOld.trim());
  const environment = environmentOf(options);
  const config = parseConfig(environment);
  const logger =
    options.logger === undefined
      ? openLog(config, false)
      : loggerOf(options.logger, redactOf(config));
  const basePath = (options.basePath ?? '').replace(/\/+$/, '');
  const requests = new AsyncLocalStorage<IncomingMessage>();
  const secret = randomBytes(32).toString('base64url');
  const assembled = await assemble({
    config,
    environment,
    logger,
    extension: extensionOf(options, { secret, requests }),
    agents: options.agents ?? [],
    basePath,
  });
  return embed(assembled, { basePath, secret, requests });
}

interface Inner {
  secret: string;
  /** The request that is being answered. */
  requests: AsyncLocalStorage<IncomingMessage>;
}

function embed(
  { handler, values, start, drain, close }: Assembled,
  { basePath, secret, requests }: Inner & { basePath: string },
): EmbeddedTurnpike {
  const answer: RequestListener = (request, response) =>
    requests.run(request, () => handler(request, response));
  const inner = openInnerFetch(answer);
  const mounted = mountAt(basePath, answer);
  const web = openInnerFetch(mounted);
  const unwatch = watchLoop(values);
  const closed = new AbortController();
  const closeInner = (): void => {
    unwatch();
    // First: a client whose connection breaks asks again, and would keep the process for minutes.
    closed.abort(closedError());
    inner.close();
    web.close();
  };
  let closing: Promise<void> | undefined;
  return {
    handler: mounted,
    fetch: web.answer,
    start,
    drain,
    close: () => (closing ??= close().finally(closeInner)),
    client: (principal) =>
      new TurnpikeClient({
        url: 'http://turnpike.internal',
        fetch: inner.fetch,
        closed: closed.signal,
        headers: { [SECRET_HEADER]: secret, [PRINCIPAL_HEADER]: encodeURIComponent(principal) },
      }),
  };
}

/** The error that a client's calls end with once its Turnpike is closed. */
function closedError(): TurnpikeError {
  return new TurnpikeError('CLOSED', {
    status: 503,
    message:
      'This Turnpike was closed by its application. Turns that had not ended go on when one is made again on the same data; follow them with its client.',
    retryable: false,
  });
}

/** How often the event loop shows that it runs, in ms. */
const BEAT_MS = 500;

/**
 * Warns once a tool has blocked the event loop for half of a lease. A server of its own would end such a process; here it
 * is the host's.
 */
function watchLoop({
  config: { leaseMs },
  logger,
}: Pick<ProcessValues, 'config' | 'logger'>): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const stillMs = Math.round(now - last - BEAT_MS);
    last = now;
    if (stillMs < leaseMs / 2) return;
    logger.warn(
      { stillMs, leaseMs },
      'something blocked the event loop of this application; other processes take its turns over once their leases have ended. Move that work to a thread or a process',
    );
  }, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Passes requests below a path on, without it. @param basePath without a slash at its end. */
function mountAt(basePath: string, answer: RequestListener): EmbeddedTurnpike['handler'] {
  return (request, response, next) => {
    const { url = '/', originalUrl } = request as typeof request & { originalUrl?: string };
    // Express has taken the path away already, where it mounts by itself.
    const isTaken = originalUrl !== undefined && originalUrl !== url;
    const isBelow =
      isTaken || url === basePath || ['/', '?'].some((mark) => url.startsWith(basePath + mark));
    if (!isBelow && next !== undefined) return next();
    if (!isTaken && isBelow && basePath !== '') {
      const rest = url.slice(basePath.length);
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
    }
    answer(request, response);
  };
}

const optionNames = Object.keys({
  dataDir: true,
  databaseUrl: true,
  redisUrl: true,
  role: true,
  basePath: true,
  tools: true,
  agents: true,
  extension: true,
  authenticate: true,
  logger: true,
  settings: true,
} satisfies Record<keyof TurnpikeOptions, true>);

/** Names that no option has: what they are to say would be dropped. */
function unknownOptions(options: object): string[] {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const unknown = given.flatMap(([name]) => (optionNames.includes(name) ? [] : name));
  return unknown.map((name) => {
    if (/^[A-Z][A-Z\d_]*$/.test(name)) return `${name} is a setting; give it in settings`;
    const near = nearestName(name, optionNames);
    const hint =
      near === undefined ? `they are ${optionNames.join(', ')}` : `did you mean ${near}?`;
    return `${name} is not an option of createTurnpike; ${hint}`;
  });
}

function environmentOf(options: TurnpikeOptions): Record<string, string> {
  const { dataDir, databaseUrl, redisUrl, role, settings = {} } = options;
  const listening = ofListeners.filter((name) => settings[name] !== undefined);
  const faults = [
    ...unknownOptions(options),
    ...listening.map(
      (name) =>
        `${name} is set; a Turnpike inside of an application opens no port, so leave it out`,
    ),
    ...(dataDir === undefined && databaseUrl === undefined
      ? ['dataDir is not set; name a folder of its own, or databaseUrl and redisUrl']
      : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return compact({
    TURNPIKE_CONSOLE: 'false',
    // Where commands and the sandbox's own programs are looked for.
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TURNPIKE_LOG_LEVEL: 'warn',
    ...compact(settings),
    TURNPIKE_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    TURNPIKE_ROLE: role,
  });
}

/** The host's tools and callers, as an extension. */
function extensionOf(
  { tools = [], extension, authenticate }: TurnpikeOptions,
  { secret, requests }: Inner,
): Extension {
  const wanted = Buffer.from(secret);
  return async (turnpike) => {
    for (const tool of tools) turnpike.addTool(tool);
    turnpike.addAuthenticator(
      HOST_AUTHENTICATOR,
      (head): ExtensionCaller | undefined | Promise<ExtensionCaller | undefined> => {
        const given = Buffer.from(head.headers[SECRET_HEADER] ?? '');
        if (given.length === wanted.length && timingSafeEqual(given, wanted)) {
          return {
            principal: decodeURIComponent(head.headers[PRINCIPAL_HEADER] ?? ''),
            scopes: ['turns', 'approvals'],
          };
        }
        const request = requests.getStore();
        return request === undefined ? undefined : authenticate?.(head, request);
      },
    );
    await extension?.(turnpike);
  };
}

/** The host's logger: its lines have the fields of their turn or session, and no secret. */
function loggerOf(host: TurnpikeLogger, redact: Redact, common: LogFields = {}): Logger {
  const line =
    (level: keyof TurnpikeLogger) =>
    (given: LogFields, message: string): void => {
      const { error, ...rest } = { ...common, ...given };
      const fields = error === undefined ? rest : { ...rest, error: describeError(error) };
      host[level](JSON.parse(redact(JSON.stringify(fields))) as LogFields, redact(message));
    };
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: (fields) => loggerOf(host, redact, { ...common, ...fields }),
  };
}
