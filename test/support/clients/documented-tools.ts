import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from '@jest/globals';
import { loadIssuers } from '../../../src/access/tokens/auth-file.js';
import { parseConfig } from '../../../src/config/config.js';
import { loadMcpFile } from '../../../src/tools/mcp/mcp-file.js';
import { systemClock } from '../../../src/platform/clock.js';
import { openToolHook, parseHookAnswer, ToolHook } from '../../../src/tools/tool-hook.js';
import { expectSoon } from '../expect-soon.js';
import { startProcess } from '../processes/start-process.js';
import { startServer, type TestServer } from '../processes/start-server.js';
import { newFolder } from '../suite.js';
import { startHook } from '../tools/start-hook.js';
import type { DocumentedPage, Run } from './documented-page.js';

type Shell = Pick<DocumentedPage, 'shell' | 'prints'>;

async function lastRequest({ client, projectRoot, modelRequests }: TestServer, opts: object) {
  const sessionId = await client.createSession(projectRoot);
  await (await client.turn(sessionId, 'Hello', { opts })).all();
  return modelRequests.at(-1)?.body;
}

/** What is done with the block of client-tools.md. */
export const clientToolUses = (server: TestServer): Run[] => [
  async (code) => {
    const body = await lastRequest(server, JSON.parse(code) as object);
    expect(body?.tools).toContainEqual(expect.objectContaining({ name: 'pick_color' }));
    return '';
  },
];

/** What is done with the blocks of skills.md: the file is a skill, which the route lists. */
export const skillUses = (server: TestServer, { prints }: Shell): Run[] => [
  async (code) => {
    const folder = path.join(server.config.instructionRoot, 'skills/release-notes');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'SKILL.md'), code);
    await expectSoon(async () => {
      const body = await lastRequest(server, {});
      expect(JSON.stringify(body?.system)).toContain(
        'release-notes: Writes the notes of a release for its users',
      );
    });
    return '';
  },
  prints({
    skills: [{ name: 'release-notes', isOffered: true, allowedTools: ['bash(git *)', 'read'] }],
  }),
];

/** Loads the file of issuers that log-in.md shows. */
const namesIssuers: Run = async (code) => {
  const file = path.join(newFolder(), 'auth.yaml');
  await writeFile(file, code);
  const issuers = await loadIssuers(file);
  expect(issuers.map(({ name, roles }) => [name, roles.length])).toEqual([['acme', 2]]);
  return '';
};

/** Loads the client of the command line that log-in.md shows, at an issuer. */
const namesCliClient: Run = async (code) => {
  const file = path.join(newFolder(), 'auth.yaml');
  const issuer =
    "name: acme\n    issuer_url: https://acme.example\n    audiences: [a]\n    roles: [{ group: '*' }]";
  await writeFile(file, `issuers:\n  - ${issuer}\n${code}`);
  const [loaded] = await loadIssuers(file);
  const scopes = ['openid', 'offline_access'];
  const resource = 'https://turnpike.example/';
  expect(loaded?.cli).toEqual({ clientId: 'turnpike-cli', scopes, audience: 'a', resource });
  return '';
};

/** Loads the file of issuers whose people log in to the console. */
const opensConsole: Run = async (code) => {
  const file = path.join(newFolder(), 'auth.yaml');
  await writeFile(file, code);
  const [issuer] = await loadIssuers(file);
  const clientSecretFile = path.join(path.dirname(file), 'acme-secret');
  expect(issuer?.console).toMatchObject({ clientId: 'turnpike-console', clientSecretFile });
  return '';
};

/** What is done with the blocks of page-log-in.md: what they show is a file of the example, which a browser runs. */
export const pageLogInUses: Record<'page' | 'pageTokens', (Run | { elsewhere: string })[]> = {
  page: [
    { elsewhere: 'log-in-example.test.ts runs the script' },
    { elsewhere: 'installs packages; test/release/package.test.ts installs the package' },
    isExample('provider.mjs'),
    isExample('auth.yaml'),
    { elsewhere: 'starts a server in the foreground; log-in-example.test.ts has the variables' },
    isExample('users.ts'),
    isExample('own-token.ts'),
    isExample('main.tsx'),
    isExample('index.html'),
    {
      elsewhere:
        'starts a server in the foreground; log-in-example.test.ts starts that of the page',
    },
  ],
  pageTokens: [
    { elsewhere: 'makes a key; log-in-example.test.ts has one of these scopes' },
    isExample('backend.mjs'),
    isExample('page-token.ts'),
  ],
};

function isExample(name: string): Run {
  return async (code) => {
    const file = new URL(`../../../examples/log-in/${name}`, import.meta.url);
    expect(code).toBe(await readFile(file, 'utf8'));
    return '';
  };
}

/** What is done with the blocks of log-in.md. */
export const logInUses = {
  setUp: [
    namesIssuers,
    { elsewhere: 'reads the clipboard; auth-command.test.ts gives the command a token' },
  ],
  commandLine: [
    namesCliClient,
    { elsewhere: 'needs a provider; log-in-command.test.ts calls the three at one' },
  ],
  console: [opensConsole],
  leavers: [{ elsewhere: 'ends an access; leavers.test.ts ends one by the same command' }],
  pageTokens: [
    { elsewhere: 'makes a key; page-tokens.test.ts makes one that mints' },
    { elsewhere: 'is sent with such a key; page-tokens.test.ts sends it' },
  ],
};

/** What is done with the file of guide/mcp.md. */
export const mcpFileUse =
  (at: (name: string) => string): Run =>
  async (code) => {
    const file = at('mcp.json');
    await writeFile(file, code);
    const definitions = await loadMcpFile(file, { GITHUB_TOKEN: 'ghp_of_a_reader' });
    expect(definitions).toMatchObject({
      github: { headers: { Authorization: 'Bearer ghp_of_a_reader' } },
      files: { command: 'npx', trustAnnotations: true },
    });
    return '';
  };

export const mcpLogInUse = {
  elsewhere: 'needs a person in a browser; mcp-command.test.ts runs the three',
};

/** What is done with the blocks of wires/mcp.md: the server answers at the path that they show. */
export const mcpWireUses = (server: TestServer): (Run | { elsewhere: string })[] => [
  { elsewhere: 'needs Claude Code; test/api/wires/mcp.test.ts calls the route as its client does' },
  async (code) => {
    const { mcpServers } = JSON.parse(code) as { mcpServers: { turnpike: { url: string } } };
    const { pathname } = new URL(mcpServers.turnpike.url);
    const client = new Client({ name: 'reader', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(pathname, server.url)));
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name)).toContain('start_turn');
    return '';
  },
];

/** What is done with the blocks of tool-hook.md: the variables are taken, and the hook gets what is shown. */
export const hookUses = (page: Shell): Run[] => [
  async (code) => {
    const output = await page.shell(`${code}env`);
    const lines = output.split('\n').filter((line) => line.startsWith('TURNPIKE_TOOL_HOOK_'));
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2)));
    expect(openToolHook(parseConfig(environment), systemClock)).toBeInstanceOf(ToolHook);
    return '';
  },
  async (code) => {
    const hook = await startHook();
    const server = await startServer({ environment: hook.environment });
    try {
      const sessionId = await server.client.createSession(server.projectRoot);
      const message = '[[tool=write {"file_path":"notes.md","content":"Hello"}]]';
      const turn = await server.client.turn(sessionId, message, { opts: { mode: 'acceptEdits' } });
      await turn.all();
    } finally {
      await server.close();
      await hook.close();
    }
    const keysOf = (body: { data: object }) => [Object.keys(body), Object.keys(body.data)];
    const [received] = hook.receiver.received;
    const shown = JSON.parse(code) as { data: { rules: object; input: object } };
    expect(received && keysOf(received.body)).toEqual(keysOf(shown));
    expect(received?.body.data).toMatchObject({ input: shown.data.input, rules: shown.data.rules });
    return '';
  },
  (code) => {
    expect(parseHookAnswer(code)).toEqual(JSON.parse(code));
    return Promise.resolve('');
  },
];

/**
 * What is done with the blocks of your-own-agent.md and your-own-tool.md: they are written as shown, and a server of
 * their own is asked.
 */
export const ownUses = (page: Shell) => {
  let folder = '';
  const starts = {
    elsewhere: 'starts a server in the foreground; the next block has one of its own',
  };
  return {
    agent: [
      async (code: string) => {
        folder = newFolder();
        return page.shell(`cd ${folder}\n${code}`);
      },
      starts,
      async (code: string) => {
        const instructions = path.join(folder, 'my-instructions');
        const own = await startServer({ environment: { TURNPIKE_INSTRUCTION_ROOT: instructions } });
        const output = await page.shell(code.replace('http://127.0.0.1:4400', own.url));
        await own.close();
        expect(output).toContain('read, glob, grep');
        return output;
      },
    ],
    tool: [
      async (code: string) => {
        folder = newFolder();
        await mkdir(path.join(folder, 'tools'));
        await writeFile(path.join(folder, 'tools/ticket_state.ts'), code);
        return '';
      },
      async (code: string) => {
        const output = await page.shell(`cd ${folder}\n${code}`);
        expect(output).toBe('Ticket 7 is open.\n');
        return output;
      },
      starts,
      async (code: string) => {
        const own = await startProcess({
          TURNPIKE_DATA_DIR: path.join(newFolder(), 'data'),
          TURNPIKE_PROJECTS_DIR: path.join(newFolder(), 'projects'),
          TURNPIKE_TOOLS_DIR: path.join(folder, 'tools'),
        });
        const asked = `cd ${folder}\n${code.replaceAll(/^turnpike .*$/gm, '$& --json')}`;
        const output = await page.shell(asked, { TURNPIKE_URL: own.url });
        await own.kill('SIGTERM');
        expect(output).toContain('Ticket 7 is open.');
        return output;
      },
    ],
  };
};

/** The rules of the page deny a file to all tools that read. */
export const permissionUse =
  (server: TestServer, page: DocumentedPage): Run =>
  async () => {
    const turn = await server.client.turn(
      await page.session(),
      '[[tool=read {"file_path":".env"}]] [[tool=grep {"pattern":"a"}]]',
    );
    const results = (await turn.all()).filter(({ event }) => event === 'tool:result');
    expect(
      results.map(({ data }) => `${String(data['name'])}: ${String(data['status'])}`).toSorted(),
    ).toEqual(['grep: denied', 'read: denied']);
    return '';
  };
