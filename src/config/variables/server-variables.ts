import * as z from 'zod/mini';
import { isPageOrigin } from '../../platform/net/addresses.js';
import {
  noProxies,
  parseTrustedProxies,
  type TrustedProxies,
} from '../../platform/net/sender-address.js';
import { parsedBy } from '../../platform/parsing/shapes.js';
import { migrateModes, type MigrateMode } from '../../storage/migrate-database.js';
import { roles } from '../role.js';
import { parseRedisUrl, type RedisAddress } from '../../storage/redis/redis-address.js';
import {
  absolutePath,
  choice,
  flag,
  integer,
  list,
  numberText,
  optional,
  privateHosts,
  secret,
  variable,
} from '../variable.js';

/** An origin as browsers send it: scheme, host and port, and nothing after. */
const origin = parsedBy(
  (entry: string) =>
    /^https?:\/\//.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry
      ? entry
      : undefined,
  'must be an origin: `https://host[:port]` or `http://host[:port]`',
);

const pageOrigin = parsedBy(
  (entry: string) => (isPageOrigin(entry) ? entry : undefined),
  'must be an origin: `https://host[:port]`, or `scheme://host` of an application',
);

/** Variables of the process: its address, its clients, its databases and its log. */
export const serverVariables = {
  host: variable(
    'TURNPIKE_HOST',
    {
      about:
        'Address to listen on. One that other machines can reach needs an API key, or `TURNPIKE_ALLOW_KEYLESS`.',
      fallback: '127.0.0.1',
    },
    z
      .string()
      .check(
        z.regex(
          /^[\w.-]+$|^[\da-f:.]+$/i,
          'must be an address or the name of one: 127.0.0.1, ::1, localhost, 0.0.0.0, …',
        ),
      ),
  ),
  port: integer('TURNPIKE_PORT', {
    about: 'Port to listen on; 0 picks a free one.',
    fallback: 4400,
    min: 0,
    max: 65_535,
  }),
  metricsPort: variable<number | undefined>(
    'TURNPIKE_METRICS_PORT',
    {
      about:
        'Additional port that serves only `/metrics`, without a key; 0 picks a free one. Default: none.',
      fallback: undefined,
    },
    numberText(/^\d{1,5}$/, { min: 0, max: 65_535 }),
  ),
  allowKeyless: flag('TURNPIKE_ALLOW_KEYLESS', {
    about:
      'Whether a server without API keys takes requests from other machines and under any `Host`. For servers behind a gateway that decides who may call.',
    fallback: false,
  }),
  firstKey: choice('TURNPIKE_FIRST_KEY', {
    about:
      'What the start does if other machines can reach the address and there never was an API key. `print` makes one for the principal `local`, with all scopes, and prints it on standard error, once.',
    fallback: 'refuse',
    values: ['refuse', 'print'],
  }),
  clientKey: secret('TURNPIKE_API_KEY', 'API key that the command line sends.'),
  corsOrigins: list(
    'TURNPIKE_CORS_ORIGINS',
    'Origins whose pages may call the API from a browser, such as `https://app.example.com`, or `capacitor://localhost` of an application. Default: none.',
    z.array(pageOrigin),
  ),
  trustedProxies: variable<TrustedProxies>(
    'TURNPIKE_TRUSTED_PROXIES',
    {
      about:
        'Proxies that say in `X-Forwarded-For` or `Forwarded` who sent a request: how many a request passes (`1`), or their networks (`10.0.0.0/8,fd00::/8`). Wrong credentials count against that sender. `0`: the address of the connection is the sender.',
      fallback: noProxies,
      fallbackText: '`0`',
    },
    parsedBy(
      parseTrustedProxies,
      'must be a number from 0 to 10, or networks: `10.0.0.0/8`, `127.0.0.1`, `fd00::/8`',
    ),
  ),
  publicUrl: optional(
    'TURNPIKE_PUBLIC_URL',
    'Origin at which browsers reach the server, such as `https://agents.example.com`: [log-ins at MCP servers](../guide/mcp-log-in.md) come back to it. Default: the `Host` of the request that begins one, if that is `127.0.0.1`, `localhost` or `[::1]`. Under another name, log-ins need this variable.',
    origin,
  ),
  keepAliveMs: integer('TURNPIKE_KEEP_ALIVE_MS', {
    about:
      'How long an idle connection is kept. Must be longer than the proxy keeps its own (nginx: 60 s), or requests get lost.',
    fallback: 75_000,
    min: 1_000,
    max: 3_600_000,
  }),
  console: flag('TURNPIKE_CONSOLE', {
    about: 'Whether the console is served at `/`.',
    fallback: true,
  }),
  requestsPerMinute: integer('TURNPIKE_REQUESTS_PER_MINUTE', {
    about: 'Maximum requests of a principal per minute, unless its key has a limit; 0: no limit.',
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  concurrentTurns: integer('TURNPIKE_CONCURRENT_TURNS', {
    about: 'Maximum unended turns of a principal, unless its key has a limit; 0: no limit.',
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  tokensPerDay: integer('TURNPIKE_TOKENS_PER_DAY', {
    about: 'Maximum tokens of a principal per day (UTC), unless its key has a limit; 0: no limit.',
    fallback: 0,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }),
  usdPerDay: variable(
    'TURNPIKE_USD_PER_DAY',
    {
      about:
        'Maximum dollars of a principal per day (UTC), unless its key has a limit; 0: no limit.',
      fallback: 0,
    },
    numberText(/^\d+(\.\d+)?$/, { min: 0, max: 1_000_000 }),
  ),
  authFile: absolutePath(
    'TURNPIKE_AUTH_FILE',
    'YAML file with the [identity providers](../operate/log-in.md) whose tokens are taken. Read at the start.',
  ),
  authPrivateHosts: privateHosts(
    'TURNPIKE_AUTH_PRIVATE_HOSTS',
    'Hosts of identity providers at private addresses',
  ),
  masterKeyFile: absolutePath(
    'TURNPIKE_MASTER_KEY_FILE',
    'File of the keys that seal stored secrets: one a line, 32 bytes in base64. The first seals, all open. See [secrets at rest](secrets.md). Default: none; secrets are stored as they are.',
  ),
  auditKeepDays: integer('TURNPIKE_AUDIT_KEEP_DAYS', {
    about: 'How long the audit log is kept; 0: for ever.',
    fallback: 90,
    min: 0,
    max: 36_500,
  }),
  webhooksPerPrincipal: integer('TURNPIKE_WEBHOOKS_PER_PRINCIPAL', {
    about: 'Maximum webhooks of a principal; 0: webhooks are off.',
    fallback: 10,
    min: 0,
    max: 1_000,
  }),
  webhookPrivateHosts: privateHosts(
    'TURNPIKE_WEBHOOK_PRIVATE_HOSTS',
    'Hosts at which webhooks may use private addresses and http',
  ),
  webhookKeepDays: integer('TURNPIKE_WEBHOOK_KEEP_DAYS', {
    about: 'How long deliveries of webhooks are kept after their event.',
    fallback: 30,
    // The last try comes after three days.
    min: 7,
    max: 36_500,
  }),
  schedulesPerPrincipal: integer('TURNPIKE_SCHEDULES_PER_PRINCIPAL', {
    about: 'Maximum schedules of a principal; 0: schedules are off.',
    fallback: 100,
    min: 0,
    max: 10_000,
  }),
  scheduleRunKeepDays: integer('TURNPIKE_SCHEDULE_RUN_KEEP_DAYS', {
    about: 'How long the runs of schedules are kept.',
    fallback: 30,
    min: 1,
    max: 36_500,
  }),
  role: choice('TURNPIKE_ROLE', {
    about:
      '`api` serves clients, `worker` runs turns, `all` does both. `api` and `worker` need `REDIS_URL` and `DATABASE_URL`.',
    fallback: 'all',
    values: roles,
  }),
  redis: {
    ...variable<RedisAddress | undefined>(
      'REDIS_URL',
      {
        about:
          'Redis of several processes: one server, sentinels or a cluster ([forms](databases.md)). Set together with `DATABASE_URL`.',
        fallback: undefined,
      },
      parsedBy(
        parseRedisUrl,
        'must be `redis://host:port`, `redis+sentinel://host:port,host:port/master` or `redis+cluster://host:port,host:port`',
      ),
    ),
    secret: true,
  },
  redisSentinelPassword: secret(
    'TURNPIKE_REDIS_SENTINEL_PASSWORD',
    'Password of the sentinels; `REDIS_URL` has that of Redis.',
  ),
  redisAuthority: absolutePath(
    'TURNPIKE_REDIS_CA_FILE',
    'PEM file with the authorities that may sign the certificate of Redis. Default: those of Node.js.',
  ),
  redisCertificate: absolutePath(
    'TURNPIKE_REDIS_CERT_FILE',
    'PEM file with the client certificate for Redis. Set together with `TURNPIKE_REDIS_KEY_FILE`.',
  ),
  redisKey: absolutePath(
    'TURNPIKE_REDIS_KEY_FILE',
    'PEM file with the key of `TURNPIKE_REDIS_CERT_FILE`.',
  ),
  redisPrefix: variable(
    'TURNPIKE_REDIS_PREFIX',
    { about: 'Prefix of all keys in Redis.', fallback: 'turnpike' },
    z.string().check(z.regex(/^[\w-]{1,64}$/, "must be letters, digits, '-' and '_', at most 64")),
  ),
  databaseUrl: {
    ...variable<string | undefined>(
      'DATABASE_URL',
      {
        about:
          'PostgreSQL of several processes: `postgres://user:password@host:port/database`, with `?sslmode=…` for [TLS](databases.md). Set together with `REDIS_URL`.',
        fallback: undefined,
      },
      parsedBy(
        (given: string) => (/^postgres(ql)?:\/\//.test(given) ? given : undefined),
        'must be `postgres://user:password@host:port/database`',
      ),
    ),
    secret: true,
  },
  preparedStatements: flag('TURNPIKE_PREPARED_STATEMENTS', {
    about:
      'Whether statements are prepared. Set `false` behind a transaction pool that does not support them, such as PgBouncer before 1.21.',
    fallback: true,
  }),
  databaseConnections: integer('TURNPIKE_DATABASE_CONNECTIONS', {
    about: 'Maximum connections of one process to PostgreSQL.',
    fallback: 16,
    min: 1,
    max: 1_000,
  }),
  migrate: variable<MigrateMode | undefined>(
    'TURNPIKE_MIGRATE',
    {
      about:
        'What the start does if the database lacks migrations: `check` names them and ends, `apply` applies them ([upgrades](upgrades.md)).',
      fallback: undefined,
      fallbackText: '`check` with `DATABASE_URL`, `apply` without',
    },
    z.enum(migrateModes),
  ),
  dataDir: variable(
    'TURNPIKE_DATA_DIR',
    { about: 'Folder of the embedded database.', fallback: './.turnpike' },
    z.string(),
  ),
  watchdogMs: variable(
    'TURNPIKE_WATCHDOG_MS',
    {
      about:
        'Maximum stall of the event loop. After it the process ends itself; its turns continue elsewhere or at its next start. 0: no limit.',
      fallback: 60_000,
    },
    parsedBy((text: string) => {
      const ms = Number(text);
      return /^\d+$/.test(text) && (ms === 0 || (ms >= 1_000 && ms <= 3_600_000)) ? ms : undefined;
    }, 'must be 0, or a whole number from 1000 to 3600000'),
  ),
  logLevel: choice('TURNPIKE_LOG_LEVEL', {
    about: 'Lowest level that is logged ([levels](logs.md#levels)).',
    fallback: 'info',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
  }),
  traceContent: flag('TURNPIKE_TRACE_CONTENT', {
    about:
      'Whether [spans](tracing.md#content) contain messages, system prompts, and tools’ arguments and results.',
    fallback: false,
  }),
  production: variable(
    'NODE_ENV',
    {
      about:
        '`production` turns the rehearsal model off: without a provider’s key, turns get 503 `MISSING_API_KEY`.',
      fallback: false,
      fallbackText: '',
    },
    z.transform((text) => text === 'production'),
  ),
};
