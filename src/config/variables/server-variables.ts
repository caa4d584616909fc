import { roles } from '../role.js';
import { choice, entriesOf, flag, integer, secret, text, type Variable } from '../variable.js';

/** Variables of the process: its address, its clients, its databases and its log. */
export const serverVariables = {
  host: text('TURNPIKE_HOST', {
    about:
      'Address to listen on. An address that other machines reach needs an API key, or `TURNPIKE_ALLOW_KEYLESS`.',
    fallback: '127.0.0.1',
    allowed: 'an address or the name of one: 127.0.0.1, ::1, localhost, 0.0.0.0, …',
    accept: (value) => /^[\w.-]+$|^[\da-f:.]+$/i.test(value),
  }),
  port: integer('TURNPIKE_PORT', {
    about: 'Port to listen on; 0 picks a free one.',
    fallback: 4400,
    min: 0,
    max: 65_535,
  }),
  allowKeyless: flag('TURNPIKE_ALLOW_KEYLESS', {
    about:
      'Whether a server without API keys takes requests from other machines, and under any `Host`: `true` where a gateway decides who may call.',
    fallback: false,
  }),
  clientKey: secret(
    'TURNPIKE_API_KEY',
    'API key that the command line sends to a server which has keys.',
  ),
  corsOrigins: {
    names: ['TURNPIKE_CORS_ORIGINS'],
    about:
      'Origins whose pages may call the API from a browser, comma-separated, as `https://app.example.com`. Default: none.',
    fallback: [],
    allowed: 'comma-separated origins: `https://host[:port]` or `http://host[:port]`',
    parse: parseCorsOrigins,
  } satisfies Variable<readonly string[]>,
  console: flag('TURNPIKE_CONSOLE', {
    about: 'Whether the console is served at `/`.',
    fallback: true,
  }),
  requestsPerMinute: integer('TURNPIKE_REQUESTS_PER_MINUTE', {
    about:
      'Most requests of a principal per minute, unless its key has a limit (429 `RATE_LIMITED`); 0: no limit.',
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  concurrentTurns: integer('TURNPIKE_CONCURRENT_TURNS', {
    about:
      'Most turns of a principal that have not ended, unless its key has a limit; 0: no limit.',
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  tokensPerDay: integer('TURNPIKE_TOKENS_PER_DAY', {
    about: 'Most tokens of a principal per day (UTC), unless its key has a limit; 0: no limit.',
    fallback: 0,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }),
  usdPerDay: {
    names: ['TURNPIKE_USD_PER_DAY'],
    about: 'Most dollars of a principal per day (UTC), unless its key has a limit; 0: no limit.',
    fallback: 0,
    allowed: 'a number from 0 to 1000000',
    parse: (value) =>
      /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1_000_000 ? Number(value) : undefined,
  } satisfies Variable<number>,
  auditKeepDays: integer('TURNPIKE_AUDIT_KEEP_DAYS', {
    about: 'Days for which the audit log is kept; 0: for ever.',
    fallback: 90,
    min: 0,
    max: 36_500,
  }),
  role: choice('TURNPIKE_ROLE', {
    about:
      'Role of this process: `api` serves clients, `worker` runs turns, `all` does both. `api` and `worker` need `REDIS_URL` and `DATABASE_URL`.',
    fallback: 'all',
    values: roles,
  }),
  redisUrl: secret(
    'REDIS_URL',
    'Redis of a deployment with several processes: `redis://[:password@]host:port[/database]`. Set together with `DATABASE_URL`.',
  ),
  redisPrefix: text('TURNPIKE_REDIS_PREFIX', {
    about: 'Prefix of all keys in Redis.',
    fallback: 'turnpike',
    allowed: "letters, digits, '-' and '_', at most 64",
    accept: (value) => /^[\w-]{1,64}$/.test(value),
  }),
  databaseUrl: secret(
    'DATABASE_URL',
    'PostgreSQL of a deployment with several processes: `postgres://user:password@host:port/database`. Set together with `REDIS_URL`.',
  ),
  databaseConnections: integer('TURNPIKE_DATABASE_CONNECTIONS', {
    about: 'Most connections to PostgreSQL of one process.',
    fallback: 16,
    min: 1,
    max: 1_000,
  }),
  dataDir: text('TURNPIKE_DATA_DIR', {
    about: 'Folder of the embedded database.',
    fallback: './.turnpike',
  }),
  watchdogMs: {
    ...integer('TURNPIKE_WATCHDOG_MS', {
      about:
        'Longest stall of the event loop, in ms. After it the process ends itself, and its turns go on elsewhere or at its next start. 0: no limit.',
      fallback: 60_000,
      min: 0,
      max: 3_600_000,
    }),
    allowed: '0, or a whole number from 1000 to 3600000',
    parse: (value) => {
      const ms = Number(value);
      return /^\d+$/.test(value) && (ms === 0 || (ms >= 1_000 && ms <= 3_600_000)) ? ms : undefined;
    },
  } satisfies Variable<number>,
  logLevel: choice('TURNPIKE_LOG_LEVEL', {
    about: 'Lowest level that is logged. Bodies are logged at `debug` alone.',
    fallback: 'info',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
  }),
  production: {
    names: ['NODE_ENV'],
    about:
      '`production` turns the rehearsal model off: without a key, turns get 503 `MISSING_API_KEY`.',
    fallback: false,
    allowed: 'any text',
    parse: (value) => value === 'production',
  } satisfies Variable<boolean>,
};

/** Origins as browsers send them: scheme, host and port, and nothing after. */
function parseCorsOrigins(value: string): readonly string[] | undefined {
  const entries = entriesOf(value);
  const areOrigins = entries.every(
    (entry) => /^https?:\/\//.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry,
  );
  return areOrigins ? entries : undefined;
}
