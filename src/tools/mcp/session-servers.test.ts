import { describe, expect, it } from '@jest/globals';
import {
  type McpPolicy,
  resolveServers,
  type ServerRequest,
  checkSessionServers,
  hostProblem,
} from './session-servers.js';
import { parseDefinitions } from './definitions.js';

const { value: configured = {} } = parseDefinitions(
  {
    github: {
      url: 'https://api.github.example/mcp',
      headers: { Authorization: 'ours', 'X-A': 'a' },
    },
    box: { command: 'box', env: { MODE: 'x' }, sessionEnv: ['TOKEN'] },
    browser: { command: 'browser', perSession: true },
  },
  'file',
);
const policy: McpPolicy = {
  configured,
  hosts: ['api.github.example:443', '*.docs.example', '127.0.0.1:4000'],
  sessionStdio: false,
};

function refusal(given: unknown, rest: Partial<McpPolicy> = {}): string {
  try {
    checkSessionServers(given, { ...policy, ...rest });
  } catch (error) {
    expect(error).toMatchObject({ type: 'INVALID_REQUEST', status: 400 });
    return error instanceof Error ? error.message : '';
  }
  return '';
}

describe('checkSessionServers', () => {
  it.each<[string, Record<string, unknown>]>([
    ['a server at an allowed host', { a: { url: 'https://v1.docs.example/mcp' } }],
    ['loopback at an allowed port', { a: { type: 'http', url: 'http://127.0.0.1:4000/' } }],
    ['headers for a configured server', { github: { headers: { Authorization: 'mine' } } }],
    ['a variable the operator lists', { box: { env: { TOKEN: 'mine' } } }],
    ['a configured server as it is', { box: {} }],
  ])('takes %s', (_what, given) => expect(checkSessionServers(given, policy)).toBe(given));

  it('takes nothing for nothing', () => expect(checkSessionServers(undefined, policy)).toBeNull());

  it.each([
    ['a command', { a: { command: 'sh' } }, "'mcpServers.a' has a command"],
    ['a host that is not listed', { a: { url: 'https://evil.example' } }, 'TURNPIKE_MCP_HOSTS'],
    ['the parent of a listed host', { a: { url: 'https://docs.example' } }, 'TURNPIKE_MCP_HOSTS'],
    ['a name that ends alike', { a: { url: 'https://xdocs.example' } }, 'TURNPIKE_MCP_HOSTS'],
    ['another port', { a: { url: 'http://127.0.0.1:4001' } }, 'TURNPIKE_MCP_HOSTS'],
    ['http', { a: { url: 'http://v1.docs.example' } }, 'must use https'],
    [
      'the place of a configured server',
      { box: { url: 'https://v1.docs.example' } },
      'another name',
    ],
    [
      'a variable that nobody lists',
      { box: { env: { PATH: '/tmp' } } },
      "'mcpServers.box.env.PATH'",
    ],
    ['a variable for an address', { github: { env: { A: 'b' } } }, "'mcpServers.github.env'"],
    ['headers for a command', { box: { headers: { A: 'b' } } }, "'mcpServers.box.headers'"],
    ['what is no map', 'github', "'mcpServers' must be a map"],
  ])('refuses %s', (_what, given, problem) => expect(refusal(given)).toContain(problem));

  it('takes commands and variables where the operator lets sessions run commands', () => {
    const sessionStdio = true;
    expect(refusal({ a: { command: 'sh', args: ['-c', 'true'] } }, { sessionStdio })).toBe('');
    expect(refusal({ box: { env: { PATH: '/tmp' } } }, { sessionStdio })).toBe('');
  });

  it('never repeats a credential', () => {
    const secret = 'tok-0123456789';
    const given = { a: { url: `https://u:${secret}@evil.example`, headers: { A: `${secret}\n` } } };
    expect(refusal(given)).not.toContain(secret);
    expect(refusal({ box: { env: { SOME: secret } } })).not.toContain(secret);
  });
});

describe('resolveServers', () => {
  const session = { id: 'sess_1', mcpServers: null };
  function resolve(wish: Partial<ServerRequest> & { mcpServers?: Record<string, unknown> }) {
    const { mcpServers = null, ...rest } = wish;
    return resolveServers(policy, { session: { ...session, mcpServers }, ...rest });
  }

  it('gives an agent that says nothing all of the configuration', () => {
    const { servers, problems } = resolve({});
    expect(servers.map(({ name, onlyFor }) => [name, onlyFor])).toEqual([
      ['github', undefined],
      ['box', undefined],
      ['browser', 'sess_1'],
    ]);
    expect(problems).toEqual([]);
  });

  it('gives an agent what it names, and says what is not there', () => {
    const { servers, problems } = resolve({ agent: { named: ['box', 'toString'], own: {} } });
    expect(servers.map(({ name }) => name)).toEqual(['box']);
    expect(problems).toEqual([
      {
        server: 'toString',
        reason: 'the agent names it, and TURNPIKE_MCP_FILE has no such server',
      },
    ]);
  });

  it('holds what an agent defines to the list of hosts', () => {
    const { value: own = {} } = parseDefinitions(
      { docs: { url: 'https://v1.docs.example' }, evil: { url: 'https://evil.example' } },
      'agent',
    );
    const { servers, problems } = resolve({ agent: { named: [], own } });
    expect(servers.map(({ name }) => name)).toEqual(['docs']);
    expect(problems[0]).toMatchObject({
      server: 'evil',
      reason: expect.stringContaining('MCP_HOSTS'),
    });
  });

  it("puts a session's credentials on its own copy of a server", () => {
    const mcpServers = {
      github: { headers: { authorization: 'mine' } },
      box: { env: { TOKEN: 't' } },
    };
    const { servers } = resolve({ mcpServers });
    expect(servers.slice(0, 2)).toEqual([
      expect.objectContaining({
        onlyFor: 'sess_1',
        definition: expect.objectContaining({ headers: { authorization: 'mine', 'x-a': 'a' } }),
      }),
      expect.objectContaining({
        onlyFor: 'sess_1',
        definition: expect.objectContaining({ env: { MODE: 'x', TOKEN: 't' } }),
      }),
    ]);
    expect(configured['github']).toMatchObject({ headers: { Authorization: 'ours' } });
  });

  it('does not widen what the agent may use', () => {
    const mcpServers = { github: { headers: { A: 'b' } } };
    const { servers, problems } = resolve({ agent: { named: ['box'], own: {} }, mcpServers });
    expect(servers.map(({ name }) => name)).toEqual(['box']);
    expect(problems).toEqual([
      {
        server: 'github',
        reason: 'mcpServers.github of the session has no url, and is no server that the agent has',
      },
    ]);
  });

  it('judges a stored session by the policy of now', () => {
    const { servers, problems } = resolve({ mcpServers: { a: { url: 'https://gone.example' } } });
    expect(servers).toHaveLength(3);
    expect(problems[0]).toMatchObject({
      server: 'a',
      reason: expect.stringContaining('MCP_HOSTS'),
    });
  });
});

describe('hostProblem', () => {
  const hosts = [
    'mcp.example.com',
    '*.docs.example',
    '*.port.example:8443',
    '[::1]:9000',
    'localhost',
  ];

  it.each([
    'https://mcp.example.com/mcp',
    'https://MCP.example.com:8443/',
    'https://mcp.example.com./',
    'https://a.docs.example/',
    'https://a.b.docs.example:1/',
    'https://x.port.example:8443/',
    'http://[::1]:9000/',
    'http://localhost:1/',
  ])('takes %s', (url) => expect(hostProblem(url, hosts)).toBeUndefined());

  it.each([
    ['http://mcp.example.com/', 'must use https'],
    ['https://docs.example/', 'names the host docs.example'],
    ['https://evil-docs.example/', 'names the host evil-docs.example'],
    ['https://mcp.example.com.evil.example/', 'names the host mcp.example.com.evil.example'],
    ['https://x.port.example/', 'names the host x.port.example'],
    ['http://[::1]:9001/', 'names the host [::1]'],
    ['http://127.0.0.1/', 'names the host 127.0.0.1'],
  ])('refuses %s', (url, problem) => expect(hostProblem(url, hosts)).toContain(problem));
});
