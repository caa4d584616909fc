import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { TurnpikeClient } from '../client/turnpike-client.js';
import { assemble, type Assembled } from '../app/serve.js';
import { openLog, redactOf } from '../app/process-log.js';
import type { ProcessValues } from '../config/config.module.js';
import { ConfigError, parseConfig } from '../config/config.js';
import { compact } from '../platform/compact.js';
import { describeError, type Logger, type LogFields } from '../platform/logger.js';
import type { Redact } from '../platform/text/redact.js';
import type { Extension, ExtensionCaller } from '../tools/extensions/extend.js';
import { openInnerFetch } from './inner-fetch.js';
import type { EmbeddedTurnpike, TurnpikeLogger, TurnpikeOptions } from './embed-types.js';

export type * from './embed-types.js';

/** The name of the authenticator, with which the principals of the host begin. */
const HOST = 'host';

/** Headers of the inner client: its secret, and whom it acts as. */
const SECRET_HEADER = 'x-turnpike-host-secret';
const PRINCIPAL_HEADER = 'x-turnpike-host-principal';

/** Settings of a process that listens, which this one does not. */
const ofListeners = ['TURNPIKE_HOST', 'TURNPIKE_PORT', 'TURNPIKE_METRICS_PORT'];

/**
 * Makes a Turnpike inside of this process. It reads no environment, opens no port, handles no signal and ends no
 * process. Several may be in one process, each with a data folder of its own.
 *
 * @throws ConfigError that names every wrong option; DataFolderBusyError; ExtensionError; UnreachableError.
 */
export async function createTurnpike(options: TurnpikeOptions): Promise<EmbeddedTurnpike> {
  const environment = environmentOf(options);
  const config = parseConfig(environment);
  const logger =
    options.logger === undefined
      ? openLog(config, false)
      : loggerOf(options.logger, redactOf(config));
  const requests = new AsyncLocalStorage<IncomingMessage>();
  const secret = randomBytes(32).toString('base64url');
  const assembled = await assemble({
    config,
    environment,
    logger,
    extension: extensionOf(options, { secret, requests }),
    agents: options.agents ?? [],
  });
  return embed(assembled, { basePath: options.basePath ?? '', secret, requests });
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
  const closeInner = (): void => {
    unwatch();
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
        headers: { [SECRET_HEADER]: secret, [PRINCIPAL_HEADER]: encodeURIComponent(principal) },
      }),
  };
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

/** Passes requests below a path on, without it. */
function mountAt(basePath: string, answer: RequestListener): EmbeddedTurnpike['handler'] {
  const base = basePath.replace(/\/+$/, '');
  return (request, response, next) => {
    const { url = '/', originalUrl } = request as typeof request & { originalUrl?: string };
    // Express has taken the path away already, where it mounts by itself.
    const isTaken = originalUrl !== undefined && originalUrl !== url;
    const isBelow =
      isTaken || url === base || ['/', '?'].some((mark) => url.startsWith(base + mark));
    if (!isBelow && next !== undefined) return next();
    if (!isTaken && isBelow && base !== '') {
      const rest = url.slice(base.length);
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
    }
    answer(request, response);
  };
}

function environmentOf(options: TurnpikeOptions): Record<string, string> {
  const { dataDir, databaseUrl, redisUrl, role, settings = {} } = options;
  const listening = ofListeners.filter((name) => settings[name] !== undefined);
  const faults = [
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
      HOST,
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
