import { roles } from '../role.js';
import { choice, integer, optional, text, type Setting } from '../setting.js';

/** Where a server listens, who may call it, and what it runs on. */
export const serverSettings = {
  host: text(
    'TURNPIKE_HOST',
    '127.0.0.1',
    'Address to listen on. One that other machines reach needs an API key, or `TURNPIKE_ALLOW_KEYLESS`.',
    {
      allowed: 'an address or the name of one: 127.0.0.1, ::1, localhost, 0.0.0.0, …',
      accept: (value) => /^[\w.-]+$|^[\da-f:.]+$/i.test(value),
    },
  ),
  port: integer('TURNPIKE_PORT', 4400, 'Port to listen on; 0 picks a free one.', 0, 65_535),
  allowKeyless: {
    names: ['TURNPIKE_ALLOW_KEYLESS'],
    about:
      'Whether a server without API keys takes requests from other machines, and under any `Host`: `true` where a gateway decides who may call.',
    fallback: false,
    fallbackText: '',
    allowed: 'true or false',
    parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  } satisfies Setting<boolean>,
  clientKey: optional(
    ['TURNPIKE_API_KEY'],
    'API key that the command line sends to a server which has keys.',
    true,
  ),
  corsOrigins: {
    names: ['TURNPIKE_CORS_ORIGINS'],
    about:
      'Origins whose pages may call the API from a browser, comma-separated, as `https://app.example.com`. Default: none.',
    fallback: [],
    fallbackText: '',
    allowed: 'comma-separated origins: `https://host[:port]` or `http://host[:port]`',
    parse: parseCorsOrigins,
  } satisfies Setting<readonly string[]>,
  console: {
    names: ['TURNPIKE_CONSOLE'],
    about: 'Whether the console is served at `/`.',
    fallback: true,
    allowed: 'true or false',
    parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  } satisfies Setting<boolean>,
  requestsPerMinute: integer(
    'TURNPIKE_REQUESTS_PER_MINUTE',
    0,
    'Most requests a minute of one principal whose key says nothing else (429 `RATE_LIMITED`); 0: no limit.',
    0,
    1_000_000,
  ),
  concurrentTurns: integer(
    'TURNPIKE_CONCURRENT_TURNS',
    0,
    'Most turns of one principal that have not ended, where its key says nothing else; 0: no limit.',
    0,
    1_000_000,
  ),
  tokensPerDay: integer(
    'TURNPIKE_TOKENS_PER_DAY',
    0,
    'Most tokens of one principal on a day (UTC), where its key says nothing else; 0: no limit.',
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  usdPerDay: {
    names: ['TURNPIKE_USD_PER_DAY'],
    about:
      'Most dollars of one principal on a day (UTC), by `TURNPIKE_PRICES`, where its key says nothing else; 0: no limit.',
    fallback: 0,
    allowed: 'a number from 0 to 1000000',
    parse: (value) =>
      /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1_000_000 ? Number(value) : undefined,
  } satisfies Setting<number>,
  auditKeepDays: integer(
    'TURNPIKE_AUDIT_KEEP_DAYS',
    90,
    'Days for which the audit log is kept; 0: for ever.',
    0,
    36_500,
  ),
  role: choice(
    'TURNPIKE_ROLE',
    roles,
    'all',
    'What this process does: `api` serves clients, `worker` runs turns, `all` both. Other than `all` needs `REDIS_URL` and `DATABASE_URL`.',
  ),
  redisUrl: optional(
    ['REDIS_URL'],
    'Redis of a deployment with several processes: `redis://[:password@]host:port[/database]`. Set together with `DATABASE_URL`.',
    true,
  ),
  redisPrefix: text('TURNPIKE_REDIS_PREFIX', 'turnpike', 'First part of every key in Redis.', {
    allowed: "letters, digits, '-' and '_', at most 64",
    accept: (value) => /^[\w-]{1,64}$/.test(value),
  }),
  databaseUrl: optional(
    ['DATABASE_URL'],
    'PostgreSQL of a deployment with several processes: `postgres://user:password@host:port/database`. Set together with `REDIS_URL`.',
    true,
  ),
  databaseConnections: integer(
    'TURNPIKE_DATABASE_CONNECTIONS',
    16,
    'Most connections to PostgreSQL of one process.',
    1,
    1_000,
  ),
  dataDir: text('TURNPIKE_DATA_DIR', './.turnpike', 'Folder of the embedded database.'),
  watchdogMs: {
    ...integer(
      'TURNPIKE_WATCHDOG_MS',
      60_000,
      'How long the event loop of a process may stand still, in ms. After that the process ends itself: its turns go on elsewhere, or at its next start. 0: for ever.',
      0,
      3_600_000,
    ),
    allowed: '0, or a whole number from 1000 to 3600000',
    parse: (value) => {
      const ms = Number(value);
      return /^\d+$/.test(value) && (ms === 0 || (ms >= 1_000 && ms <= 3_600_000)) ? ms : undefined;
    },
  } satisfies Setting<number>,
  logLevel: choice(
    'TURNPIKE_LOG_LEVEL',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Least level that is logged. Bodies are logged at `debug` only.',
  ),
  production: {
    names: ['NODE_ENV'],
    about:
      '`production` turns the rehearsal model off: without a key, turns get 503 `MISSING_API_KEY`.',
    fallback: false,
    fallbackText: '',
    allowed: 'any text',
    parse: (value) => value === 'production',
  } satisfies Setting<boolean>,
};

/** An origin is what a browser sends: scheme, host and port, and nothing after. */
function parseCorsOrigins(value: string): readonly string[] | undefined {
  const entries = value.split(',').map((entry) => entry.trim());
  const given = entries.filter((entry) => entry !== '');
  const areOrigins = given.every(
    (entry) => /^https?:\/\//.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry,
  );
  return areOrigins ? given : undefined;
}
