import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { masterKeyFile, newMasterKey } from '../../support/access/master-keys.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { startTellingMcp } from '../../support/mcp/start-telling-mcp.js';
import { startTellingModel, type Telling } from '../../support/model/start-telling-model.js';
import { newFolder, useShared } from '../../support/suite.js';

const PROVIDER_KEY = 'sk-ant-planted-provider-key-7f3a91';
const OLDER_KEY = 'sk-ant-planted-older-key-2c77be';
const OPERATORS = 'planted-mcp-token-of-the-operator-51c0';
const MASTER_KEY = newMasterKey();
const SESSIONS = 'planted-mcp-token-of-the-session-d8e2';

/**
 * Finds secrets in a text, each in a few words of context: the whole is more than anybody reads.
 */
function findSecrets(text: string, secrets: readonly (string | undefined)[]): string[] {
  return secrets.flatMap((secret) => {
    const at = secret === undefined ? -1 : text.indexOf(secret);
    return at === -1 ? [] : [text.slice(Math.max(0, at - 200), at + 100)];
  });
}

/** Collects every text that the server gives to people and programs. */
class Transcript {
  readonly texts: string[] = [];

  constructor(private readonly client: KeyedClient) {}

  async ask(method: string, url: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.client.send(method, url, body);
    this.texts.push(JSON.stringify([...answer.headers]), answer.text);
    return answer.body;
  }

  /** Creates a session and runs a turn in it to its end. @returns the turn's id. */
  async turn(session: object, message: string, opts: object = {}): Promise<string> {
    const made = await this.ask('POST', '/api/harness/session/create', session);
    const { sessionId } = made['session'] as { sessionId: string };
    await this.ask('POST', '/api/harness/session/boot', { sessionId });
    const answer = await this.client.send('POST', '/api/harness/turn', {
      sessionId,
      message,
      opts,
    });
    this.texts.push(answer.text);
    const turnId = answer.headers.get('x-turn-id') ?? '';
    for (const what of ['', '/steps', '/tools', '/events']) {
      await this.ask('GET', `/api/harness/turns/${turnId}${what}`);
    }
    await this.ask('GET', `/api/harness/sessions/${sessionId}/messages`);
    await this.ask('GET', `/api/harness/session/${sessionId}`);
    return turnId;
  }
}

const call = (name: string, input: object = {}): string =>
  `[[tool=${name} ${JSON.stringify(input)}]]`;

describe('a provider that repeats its key', () => {
  const model = useShared(startTellingModel);
  const server = useServer(() => ({
    environment: {
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      CHIRALITY_ANTHROPIC_API_KEY: OLDER_KEY,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      TURNPIKE_PROVIDER_RETRIES: '0',
    },
  }));

  it.each<[Telling, RegExp]>([
    ['status', /INVALID_API_KEY.*Check ANTHROPIC_API_KEY/s],
    ['event', /API_RESPONSE_ERROR/],
    ['page', /INVALID_API_KEY/],
    ['redirect', /NETWORK_POLICY_VIOLATION/],
    ['hang-up', /NETWORK_ERROR/],
  ])('is heard nowhere: %s', async (how, category) => {
    model.how = how;
    model.alsoSays = ` ${OLDER_KEY}`;
    const transcript = new Transcript(new KeyedClient(server.url));
    await transcript.turn({ projectRoot: server.projectRoot }, 'Hello');
    const output = [...transcript.texts, ...server.logLines].join('\n');
    expect(model.keys).toContain(PROVIDER_KEY);
    expect(output).toMatch(category);
    expect(findSecrets(output, [PROVIDER_KEY, OLDER_KEY])).toEqual([]);
    expect(output.length).toBeLessThan(100_000);
  });
});

describe('secrets of a server', () => {
  let transcript: Transcript;
  let key: string;
  const mcp = useShared(startTellingMcp);
  const server = useServer(async () => {
    const file = path.join(newFolder(), 'mcp.json');
    const headers = { Authorization: `Bearer ${OPERATORS}` };
    await writeFile(file, JSON.stringify({ mcpServers: { docs: { url: mcp.url, headers } } }));
    return {
      environment: {
        ANTHROPIC_API_KEY: PROVIDER_KEY,
        CHIRALITY_ANTHROPIC_API_KEY: OLDER_KEY,
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_MASTER_KEY_FILE: masterKeyFile([MASTER_KEY]),
      },
    };
  });
  beforeAll(async () => {
    const scopes = ['turns', 'approvals', 'admin'];
    const made = await makeKey(server, { principal: 'ann', scopes });
    key = made.secret;
    transcript = new Transcript(new KeyedClient(server.url, key));
  });

  const expectSilence = (): void => {
    const output = [...transcript.texts, ...server.logLines].join('\n');
    const { DATABASE_URL, REDIS_URL } = server.store.environment;
    const secrets = [
      PROVIDER_KEY,
      OLDER_KEY,
      OPERATORS,
      SESSIONS,
      MASTER_KEY,
      key.slice(-43),
      DATABASE_URL,
      REDIS_URL,
    ];
    expect(findSecrets(output, secrets)).toEqual([]);
  };

  const rules = { allow: ['mcp__*', 'bash'] };
  const calls = ['tell', 'fail', 'refuse'].map((name) => call(`mcp__docs__${name}`)).join(' ');

  it('are not repeated by an MCP server: those of its operator', async () => {
    await transcript.turn({ projectRoot: server.projectRoot, permissions: rules }, calls);
    expect([...mcp.received]).toContain(`Bearer ${OPERATORS}`);
    expect(transcript.texts.join('')).toContain('[REDACTED_API_KEY]');
    expectSilence();
  });

  it('are not repeated by an MCP server: those of a session', async () => {
    const mcpServers = { docs: { headers: { Authorization: `Bearer ${SESSIONS}` } } };
    const session = { projectRoot: server.projectRoot, permissions: rules, mcpServers };
    await transcript.turn(session, calls);
    expect([...mcp.received]).toContain(`Bearer ${SESSIONS}`);
    expect(JSON.stringify(server.modelRequests)).not.toContain(SESSIONS);
    expectSilence();
  });

  it('are not repeated by the refusal of a definition', async () => {
    for (const mcpServers of [
      { docs: { headers: { Authorization: `Bearer ${SESSIONS}\n` } } },
      { docs: { env: { TOKEN: SESSIONS } } },
      { own: { url: `https://not-listed.example/?token=${SESSIONS}` } },
      { own: { command: 'sh', args: [SESSIONS], env: { KEY: SESSIONS } } },
      { own: { url: SESSIONS } },
      [SESSIONS],
      SESSIONS,
    ]) {
      const body = { projectRoot: server.projectRoot, mcpServers };
      const { error } = await transcript.ask('POST', '/api/harness/session/create', body);
      expect(error).toMatchObject({ type: 'INVALID_REQUEST' });
    }
    expectSilence();
  });

  it('are not in the environment of a command, nor in what it can read', async () => {
    const files = ['self', '1', '$PPID'].map((id) => `/proc/${id}/environ`).join(' ');
    const commands = [
      'env',
      'printenv',
      'export -p',
      `cat ${files} 2>&1 | tr '\\0' '\\n'`,
      `cat ${String(server.config.mcpFile)} ${String(server.config.masterKeyFile)}`,
      `grep -ra planted ${server.config.dataDir} ~/.ssh ~/.aws 2>&1`,
    ];
    const message = commands.map((command) => call('bash', { command })).join(' ');
    await transcript.turn({ projectRoot: server.projectRoot, permissions: rules }, message, {
      tools: ['bash'],
    });
    expect(transcript.texts.join('')).toContain('PATH=');
    // The serving process has the variable in its own environment.
    const url = process.env['TEST_DATABASE_URL'] ?? 'none';
    expect(transcript.texts.join('')).not.toContain(`TEST_DATABASE_URL=${url}`);
    expectSilence();
  });

  it('are not in the output of a tool that has come upon them', async () => {
    const session = { projectRoot: server.projectRoot, permissions: rules };
    for (const secret of [PROVIDER_KEY, OLDER_KEY]) {
      await writeFile(path.join(server.projectRoot, 'notes.txt'), `the key is ${secret}`);
      await transcript.turn(session, call('read', { path: 'notes.txt' }));
    }
    expect(JSON.stringify(server.modelRequests)).not.toContain(OLDER_KEY);
    expectSilence();
  });

  it('are in no page, no list and no entry of the audit log', async () => {
    for (const url of [
      '/docs-json',
      '/docs',
      '/health',
      '/health/agent',
      '/ready',
      '/agents',
      '/api/admin/keys',
      '/api/admin/audit?limit=1000',
      '/api/harness/approvals?status=all',
      `/api/harness/session/list?projectRoot=${encodeURIComponent(server.projectRoot)}`,
      '/api/harness/usage',
      '/api/settings/agent-config',
      '/api/settings/models',
    ]) {
      await transcript.ask('GET', url);
    }
    expectSilence();
  });

  it('are not in an answer to a wrong, a doubled or a misplaced key', async () => {
    const wrong = `${key.slice(0, -3)}zzz`;
    const nobody = new KeyedClient(server.url);
    for (const [url, headers] of [
      ['/agents', { authorization: `Bearer ${wrong}` }],
      ['/agents', { authorization: `Bearer ${key}`, 'x-api-key': wrong }],
      [`/agents?key=${key}`, {}],
      ['/agents', { authorization: `Basic ${Buffer.from(`a:${key}`).toString('base64')}` }],
    ] as const) {
      const answer = await nobody.send('GET', url, undefined, headers);
      transcript.texts.push(answer.text);
      expect([400, 401]).toContain(answer.status);
      expect(answer.text).not.toContain(wrong);
    }
    expectSilence();
  });
});
