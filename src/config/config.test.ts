import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, parseConfig, findServiceLinks } from './config.js';
import { describeVariables, removedVariables, variables } from './variables.js';
import type { Variable } from './variable.js';

const knownNames = new Set(
  Object.values<Variable<unknown>>(variables).flatMap(({ names }) => names),
);

describe('parseConfig', () => {
  it('has a default for everything', () => {
    expect(parseConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4400,
      dataDir: './.turnpike',
      provider: 'auto',
      apiKey: undefined,
      production: false,
      egressAllow: [],
    });
  });

  it('takes values, trimmed; an empty one counts as unset', () => {
    const config = parseConfig({
      TURNPIKE_PORT: ' 80 ',
      TURNPIKE_MODEL: '',
      NODE_ENV: 'production',
    });
    expect(config).toMatchObject({ port: 80, model: undefined, production: true });
  });

  it.each([
    ['TURNPIKE_PORT', '80a', 'a whole number from 0 to 65535'],
    ['TURNPIKE_PORT', '65536', 'a whole number from 0 to 65535'],
    ['TURNPIKE_PORT', '-1', 'a whole number from 0 to 65535'],
    ['TURNPIKE_HOST', 'a host', 'an address or the name of one'],
    ['TURNPIKE_PROVIDER', 'openai', 'one of auto, anthropic, rehearsal'],
    ['TURNPIKE_CONSOLE', 'yes', 'true or false'],
    ['TURNPIKE_USD_PER_DAY', '1e3', 'a number from 0 to 1000000'],
    ['TURNPIKE_WATCHDOG_MS', '5', '0, or a whole number from 1000 to 3600000'],
    ['TURNPIKE_PRICES', 'a=1/2,', 'comma-separated `name=input/output`'],
    ['TURNPIKE_CORS_ORIGINS', 'https://a.b/', 'an origin: '],
    ['TURNPIKE_MCP_HOSTS', 'https://a.b', 'a host: '],
    ['TURNPIKE_EGRESS_PRIVATE_HOSTS', '*.a.b', 'a host, without scheme and port'],
    ['TURNPIKE_WEBHOOK_PRIVATE_HOSTS', '*.a.b', 'a host: `host`, `host:port` or `host:*`'],
    ['TURNPIKE_MCP_PRIVATE_HOSTS', 'http://a.b', 'a host: `host`, `host:port` or `host:*`'],
    ['TURNPIKE_TOOL_CEILING', 'a b', 'the name of a tool'],
    ['TURNPIKE_SERVER_TOOLS', 'bash', 'web_search[=uses], web_fetch[=uses] or code_execution'],
    ['TURNPIKE_PROJECT_ROOTS', 'relative', 'an absolute path'],
    ['TURNPIKE_INSTRUCTION_ROOT', 'relative', 'an absolute path'],
    ['TURNPIKE_LOG_LEVEL', 'loud', 'one of debug, info, warn, error, silent'],
    ['TURNPIKE_EGRESS_ALLOW', 'ftp://example.com', 'an origin: `https://host[:port]`, or'],
    ['TURNPIKE_AGENT_SESSION_MS', '2147483648', 'a whole number from 1000 to 2073600000'],
    ['TURNPIKE_LEASE_MS', '999', 'a whole number from 1000 to 600000'],
  ])('refuses %s=%s, and says what it must be', (name, value, allowed) => {
    expect(() => parseConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => parseConfig({ [name]: value })).toThrow(`${name} must be ${allowed}`);
    expect(() => parseConfig({ [name]: value })).toThrow(`, not "${value}"`);
  });

  it('takes tools and MCP servers by paths from the working directory', () => {
    const given = { TURNPIKE_TOOLS_DIR: 'tools', TURNPIKE_MCP_FILE: 'config/mcp.json' };
    const { toolsDir, mcpFile } = parseConfig({ DATABASE_URL: undefined, ...given });
    expect([toolsDir, mcpFile]).toEqual([path.resolve('tools'), path.resolve('config/mcp.json')]);
  });

  it('takes lists, and names each entry that is wrong', () => {
    const lists = {
      TURNPIKE_SERVER_TOOLS: ' web_search=5, web_fetch ,',
      TURNPIKE_EGRESS_ALLOW: 'https://A.example:443/,http://localhost:8080',
      TURNPIKE_EGRESS_PRIVATE_HOSTS: 'A.example, [::1]',
      TURNPIKE_WEBHOOK_PRIVATE_HOSTS: 'A.example, [::1]:80,127.0.0.1:*',
      TURNPIKE_TOOL_CEILING: 'read,mcp__docs__*',
    };
    expect(parseConfig(lists)).toMatchObject({
      serverTools: [{ name: 'web_search', maxUses: 5 }, { name: 'web_fetch' }],
      egressAllow: ['https://a.example', 'http://localhost:8080'],
      egressPrivateHosts: ['a.example', '[::1]'],
      webhookPrivateHosts: ['a.example', '[::1]:80', '127.0.0.1:*'],
      toolCeiling: ['read', 'mcp__docs__*'],
      extensions: [],
    });
    const wrong = () => parseConfig({ TURNPIKE_EGRESS_ALLOW: 'https://a.b,c,ftp://d.e' });
    expect(wrong).toThrow(/not "c"\n.*not "ftp:\/\/d\.e"$/);
  });

  it('sends nothing unencrypted to a host outside of the network', () => {
    const allow = { TURNPIKE_EGRESS_ALLOW: 'http://d.e,http://localhost:8080,http://[fd00::1]:80' };
    expect(() => parseConfig(allow)).toThrow(/has http:\/\/d\.e, .*\n.* http:\/\/\[fd00::1\]/);
    const listed = { ...allow, TURNPIKE_EGRESS_PRIVATE_HOSTS: 'd.e,[fd00::1]' };
    expect(parseConfig(listed).egressAllow).toContain('http://d.e');
  });

  it('needs a default model where makers alone are there', () => {
    const makers = { TURNPIKE_MAKERS: 'openai, local=http://127.0.0.1:8080/v1/' };
    expect(() => parseConfig(makers)).toThrow('name the default model, as openai/NAME');
    expect(parseConfig({ ...makers, TURNPIKE_MODEL: 'openai/gpt' }).makers).toEqual([
      { name: 'openai' },
      { name: 'local', url: 'http://127.0.0.1:8080/v1' },
    ]);
    expect(parseConfig({ ...makers, ANTHROPIC_API_KEY: 'key' }).model).toBeUndefined();
    const own = { TURNPIKE_MAKERS: 'acme=@ai/acme@https://a.b/v1/', TURNPIKE_MODEL: 'acme/m' };
    expect(parseConfig(own).makers).toEqual([
      { name: 'acme', package: '@ai/acme', url: 'https://a.b/v1' },
    ]);
    for (const wrong of ['openai=here', 'a b', 'openai,openai', 'acme=@ai/acme']) {
      expect(() => parseConfig({ TURNPIKE_MAKERS: wrong })).toThrow('TURNPIKE_MAKERS');
    }
  });

  it('needs the model’s name for a server that is not Anthropic', () => {
    const ollama = { TURNPIKE_PROVIDER_PROFILE: 'ollama' };
    expect(() => parseConfig(ollama)).toThrow('name a model that the server has');
    expect(parseConfig({ ...ollama, TURNPIKE_MODEL: 'qwen3' }).model).toBe('qwen3');
    expect(parseConfig({ ...ollama, TURNPIKE_PROVIDER: 'rehearsal' }).model).toBeUndefined();
    expect(parseConfig({ TURNPIKE_PROVIDER_PROFILE: 'compatible' }).model).toBeUndefined();
  });

  it.each([
    [{ TURNPIKE_SERVER_TOOLS: 'web_search,web_search=2' }, 'must have each entry once'],
    [{ TURNPIKE_EXTENSIONS: 'a,b,a' }, 'TURNPIKE_EXTENSIONS must have each entry once'],
    [{ TURNPIKE_TOOL_CEILING: ',' }, 'must have the name of a tool'],
  ])('refuses %j', (environment, problem) => {
    expect(() => parseConfig(environment)).toThrow(problem);
  });

  it('names a variable it does not know, and the nearest one', () => {
    expect(() => parseConfig({ TURNPIKE_PROT: '1' })).toThrow(
      'TURNPIKE_PROT is not a configuration variable; did you mean TURNPIKE_PORT?',
    );
  });

  it('says of a variable that is gone what holds instead', () => {
    expect(() => parseConfig({ TURNPIKE_MCP_IDLE_MS: '1' })).toThrow(
      'TURNPIKE_MCP_IDLE_MS is no configuration variable any more: an unused MCP server stays connected for 5 minutes; remove it',
    );
    expect(Object.keys(removedVariables).filter((name) => knownNames.has(name))).toEqual([]);
  });

  it('leaves other programs’ variables alone', () => {
    expect(() => parseConfig({ PATH: '/bin', PGHOST: 'x' })).not.toThrow();
  });

  it.each([
    [{ REDIS_URL: 'redis://x' }, 'DATABASE_URL is not'],
    [{ DATABASE_URL: 'postgres://x' }, 'REDIS_URL is not'],
    [{ TURNPIKE_ROLE: 'worker' }, 'the only role is "all"'],
  ])('refuses half a deployment: %j', (environment, problem) => {
    expect(() => parseConfig(environment)).toThrow(problem);
    const whole = { ...environment, REDIS_URL: 'redis://x', DATABASE_URL: 'postgres://x' };
    expect(() => parseConfig(whole)).not.toThrow();
  });

  it('takes a database without Redis for commands on the database alone', () => {
    const environment = { DATABASE_URL: 'postgres://x' };
    expect(() => parseConfig(environment, { needsRedis: false })).not.toThrow();
    expect(() => parseConfig({ REDIS_URL: 'redis://x' }, { needsRedis: false })).toThrow(
      'DATABASE_URL is not',
    );
  });

  it.each([
    [{ REDIS_URL: 'bar' }, 'REDIS_URL must be `redis://host:port`, `redis+sent'],
    [{ REDIS_URL: 'http://x:6379' }, 'REDIS_URL must be `redis://host:port`'],
    [{ DATABASE_URL: 'bar', REDIS_URL: 'redis://x' }, 'DATABASE_URL must be `postgres://user:'],
    [{ REDIS_URL: 'redis+cluster://a/0' }, 'REDIS_URL must be `redis://host:port`, `redis+sent'],
    [
      { REDIS_URL: 'redis://x', TURNPIKE_REDIS_CA_FILE: '/ca.pem' },
      'TURNPIKE_REDIS_CA_FILE is set, and REDIS_URL is without TLS',
    ],
    [
      { REDIS_URL: 'rediss://x', TURNPIKE_REDIS_KEY_FILE: '/key.pem' },
      'TURNPIKE_REDIS_KEY_FILE is set and TURNPIKE_REDIS_CERT_FILE is not',
    ],
  ])('refuses a Redis or a PostgreSQL that cannot be meant: %j', (environment, problem) => {
    expect(() => parseConfig({ DATABASE_URL: 'postgres://x', ...environment })).toThrow(problem);
  });

  it.each([
    [{ TURNPIKE_PROJECTS_DIR: '.turnpike/projects' }, 'TURNPIKE_PROJECTS_DIR is'],
    [{ TURNPIKE_PROJECTS_DIR: '/d/p', TURNPIKE_DATA_DIR: '/d/p' }, "which is the server's own"],
    [{ TURNPIKE_PROJECTS_DIR: '/i/p', TURNPIKE_INSTRUCTION_ROOT: '/i' }, 'name a folder beside it'],
    [
      { TURNPIKE_PROJECTS_DIR: '/p', TURNPIKE_PROJECT_ROOTS: '/srv:/p/shared' },
      'TURNPIKE_PROJECT_ROOTS has "/p/shared"',
    ],
    [
      { TURNPIKE_PROJECTS_DIR: '/p', TURNPIKE_TOOLS_DIR: '/p/tools' },
      'TURNPIKE_TOOLS_DIR is "/p/tools"; agents write in /p, and',
    ],
  ])('refuses folders that are in each other’s way: %j', (environment, problem) => {
    expect(() => parseConfig(environment)).toThrow(problem);
  });

  it.each([
    [{ TURNPIKE_S3_URL: 'https://s3.x/b' }, 'TURNPIKE_S3_ACCESS_KEY_ID is not'],
    [{ TURNPIKE_S3_SECRET_ACCESS_KEY: 'k' }, 'TURNPIKE_S3_URL is not'],
    [{ TURNPIKE_S3_URL: 's3://bucket' }, 'must be an http or https URL without a query'],
    [{ TURNPIKE_S3_URL: 'https://s3.x/b?a=1' }, 'must be an http or https URL without a query'],
    [{ TURNPIKE_S3_URL: 'https://s3.x/b', TURNPIKE_BLOB_DIR: '/files' }, 'unset one'],
  ])('refuses a bucket that cannot be used: %j', (environment, problem) => {
    expect(() => parseConfig(environment)).toThrow(problem);
  });

  it('names everything that is wrong at once', () => {
    const read = () => parseConfig({ TURNPIKE_PORT: 'x', TURNPIKE_HOST: 'a b', TURNPIKE_NO: '1' });
    expect(read).toThrow(
      expect.objectContaining({
        problems: [expect.anything(), expect.anything(), expect.anything()],
      }),
    );
  });

  it.each([
    [{ CHIRALITY_ANTHROPIC_API_KEY: 'old' }, 'old'],
    [{ CHIRALITY_ANTHROPIC_API_KEY: 'old', ANTHROPIC_API_KEY: 'new' }, 'new'],
    [{ CHIRALITY_ANTHROPIC_API_KEY: 'old', ANTHROPIC_API_KEY: ' ' }, 'old'],
  ])('takes the older names after its own: %j', (environment, key) => {
    expect(parseConfig(environment).apiKey).toBe(key);
  });
});

describe('a permission', () => {
  const flags = [
    ['TURNPIKE_ENABLE_SUBAGENTS', 'subagentsEnabled'],
    ['CHIRALITY_ENABLE_SUBAGENTS', 'subagentsEnabled'],
    ['TURNPIKE_ALLOW_UNSANDBOXED_BASH', 'allowUnsandboxedBash'],
    ['TURNPIKE_SANDBOX_NETWORK', 'sandboxNetwork'],
    ['TURNPIKE_MCP_SESSION_STDIO', 'mcpSessionStdio'],
  ] as const;

  it.each(flags)('%s is allowed by true alone, to the letter', (name, key) => {
    expect(parseConfig({ [name]: 'true' })[key]).toBe(true);
    for (const value of [' true', 'true ', 'true\n', '\ttrue', 'TRUE', '1', 'yes', ' ', '']) {
      expect([value, parseConfig({ [name]: value })[key]]).toEqual([value, false]);
    }
  });
});

describe('the secrets of a configuration', () => {
  it('have the password of a URL with several hosts', () => {
    const { secrets } = parseConfig({
      DATABASE_URL: 'postgres://x',
      REDIS_URL: 'redis+cluster://me:p%40ss@a:1,b:2',
    });
    expect(secrets).toEqual(expect.arrayContaining(['p%40ss', 'p@ss']));
  });

  it('are under every name of a variable, and the passwords of URLs', () => {
    const { secrets } = parseConfig({
      ANTHROPIC_API_KEY: ' sk-ant-first ',
      CHIRALITY_ANTHROPIC_API_KEY: 'sk-ant-second',
      DATABASE_URL: 'postgres://me:pass%2Fword@host/db',
      REDIS_URL: 'redis://:100%25@host',
      TURNPIKE_MODEL: 'a-model',
    });
    expect(secrets).toEqual(
      expect.arrayContaining([
        'sk-ant-first',
        'sk-ant-second',
        'postgres://me:pass%2Fword@host/db',
        'pass%2Fword',
        'pass/word',
        '100%25',
        '100%',
      ]),
    );
    expect(secrets).not.toContain('a-model');
  });
});

describe('describeVariables', () => {
  it('has a row for every variable, with its default', () => {
    const table = describeVariables();
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toHaveLength(Object.keys(variables).length);
    expect(table).toContain('| `TURNPIKE_CONSOLE` | `true` |');
    expect(table).toContain('| `TURNPIKE_PORT` | `4400` |');
    expect(table).toContain('Also read as `CHIRALITY_GLOBAL_MODEL`.');
  });
});

/** The variables of a pod for a Service `turnpike` with two named ports and a Service `turnpike-api`. */
const pod = {
  TURNPIKE_SERVICE_HOST: '10.96.0.12',
  TURNPIKE_SERVICE_PORT: '4400',
  TURNPIKE_SERVICE_PORT_HTTP: '4400',
  TURNPIKE_SERVICE_PORT_SIDE_CAR: '9090',
  TURNPIKE_PORT: 'tcp://10.96.0.12:4400',
  TURNPIKE_PORT_4400_TCP: 'tcp://10.96.0.12:4400',
  TURNPIKE_PORT_4400_TCP_PROTO: 'tcp',
  TURNPIKE_PORT_4400_TCP_PORT: '4400',
  TURNPIKE_PORT_4400_TCP_ADDR: '10.96.0.12',
  TURNPIKE_PORT_53_UDP: 'udp://10.96.0.12:53',
  TURNPIKE_API_SERVICE_HOST: '10.96.0.13',
  TURNPIKE_API_SERVICE_PORT: '80',
  TURNPIKE_API_PORT: 'tcp://10.96.0.13:80',
  TURNPIKE_API_PORT_80_TCP_ADDR: '10.96.0.13',
};

describe('findServiceLinks', () => {
  it('finds all that Kubernetes makes', () => {
    expect(findServiceLinks({ ...pod, PATH: '/bin', REDIS_URL: 'tcp://x' })).toEqual(
      Object.keys(pod).toSorted(),
    );
  });

  it('finds no variable of ours', () => {
    const names = Object.values(variables).flatMap((variable) => [...variable.names]);
    expect(findServiceLinks(Object.fromEntries(names.map((name) => [name, '80'])))).toEqual([]);
  });

  it.each([
    'TURNPIKE_PORTS',
    'TURNPIKE_LISTEN_PORT',
    'TURNPIKE_PORT_TCP',
    'TURNPIKE_SERVICE_HOSTS',
  ])('leaves a mistake one: %s', (name) => {
    expect(findServiceLinks({ [name]: '80' })).toEqual([]);
    expect(() => parseConfig({ [name]: '80' })).toThrow(ConfigError);
  });
});

describe('parseConfig in a pod', () => {
  it('starts, on the port that it would have without', () => {
    expect(parseConfig(pod)).toMatchObject({ port: 4400, host: '127.0.0.1' });
    expect(parseConfig({ ...pod, TURNPIKE_PORT: '80' })).toMatchObject({ port: 80 });
  });

  it('still refuses an unknown variable', () => {
    expect(() => parseConfig({ ...pod, TURNPIKE_PROT: '1' })).toThrow('TURNPIKE_PROT is not');
  });
});
