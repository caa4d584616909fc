import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/platform/logger.js';
import type { Mcp } from '../../src/tools/mcp/mcp.js';
import { expectSoon } from '../support/expect-soon.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  callMcp,
  openTestMcp,
  stdioServer,
  turnOf,
  type TestMcpOptions,
} from '../support/mcp/open-test-mcp.js';
import { newFolder } from '../support/suite.js';

const token = 'planted-secret-token';

/** A server that ends with an error until there is a file. */
function lacking(file: string): Record<string, unknown> {
  return stdioServer('lacks a file', { env: { NEEDS: file, TOKEN: token } });
}

describe('an MCP server that does not come up', () => {
  let mcp: Mcp;
  const lines: string[] = [];
  afterEach(async () => {
    await mcp.close();
    lines.splice(0);
  });

  async function open(options: TestMcpOptions): Promise<Mcp> {
    const destination = { write: (line: string) => lines.push(line) };
    const redact = (line: string): string => line;
    const logger = createLogger({ level: 'warn', readable: false, redact, destination });
    mcp = await openTestMcp({ logger, ...options });
    return mcp;
  }

  const reasons = async (): Promise<string[]> =>
    (await turnOf(mcp)).problems.map(({ reason }) => reason);

  it('is named with the last words of its standard error: without secrets, and without folders of this machine', async () => {
    const file = path.join(newFolder(), 'settings.json');
    await open({ servers: { box: lacking(file) } });
    const said = 'Error: no settings in …/settings.json';
    const [reason] = await reasons();
    expect(reason).toContain('ends with: starting with [REDACTED_API_KEY] | ');
    expect(reason).toMatch(/^it ended, or its connection did, before it answered; its standard/);
    expect(reason).toContain(said);
    expect(reason).toMatch(/; it is tried again in the background$/);
    expect(mcp.listServers()).toMatchObject([
      {
        name: 'box',
        state: 'failed',
        since: expect.stringMatching(/^20/),
        tools: 0,
        problems: [expect.stringContaining(said)],
        stderr: expect.arrayContaining(['Error: no settings in …/settings.json']),
      },
    ]);
    const [line] = lines.map((one) => JSON.parse(one) as Record<string, unknown>);
    expect(line).toMatchObject({
      level: 'warn',
      server: 'box',
      reason: 'it ended, or its connection did, before it answered',
      stderr: expect.arrayContaining([`Error: no settings in ${file}`]),
    });
    expect(lines.join('')).not.toContain(token);
  });

  it('is tried again in the background, and no turn waits for it', async () => {
    const file = path.join(newFolder(), 'settings.json');
    const clock = new ManualClock();
    await open({ servers: { box: lacking(file) }, clock });
    const first = await reasons();
    expect(await reasons()).toEqual(first);
    writeFileSync(file, '{}');
    await clock.advance(1_000);
    await expectSoon(() =>
      expect(mcp.listServers()).toMatchObject([{ state: 'working', tools: 14, problems: [] }]),
    );
    const turn = await turnOf(mcp);
    expect(turn.problems).toEqual([]);
    expect(turn.tools).toHaveLength(14);
    // The failure was new once.
    expect(lines).toHaveLength(1);
  });

  it('keeps no turn waiting while it is tried again', async () => {
    const clock = new ManualClock();
    const settings = { mcpConnectMs: 500 };
    await open({ servers: { mute: stdioServer('silent') }, settings, clock });
    const first = reasons();
    await expectSoon(() => expect(clock.pending).toBeGreaterThan(0));
    await clock.advance(500);
    const failed = await first;
    await clock.advance(1_000);
    // The second start is under way, and its time stands still here.
    expect(await reasons()).toEqual(failed);
  });

  it('keeps a turn for a short time alone when it starts for the first time', async () => {
    const clock = new ManualClock();
    const settings = { mcpConnectMs: 60_000, mcpWaitMs: 5_000 };
    const servers = { mute: stdioServer('silent'), box: stdioServer() };
    await open({ servers, settings, clock });
    const opening = turnOf(mcp);
    await expectSoon(() =>
      expect(mcp.listServers()).toMatchObject([{ state: 'starting' }, { state: 'working' }]),
    );
    await clock.advance(4_999);
    let isOpen = false;
    void opening.then(() => (isOpen = true));
    await clock.advance(0);
    expect(isOpen).toBe(false);
    await clock.advance(1);
    const turn = await opening;
    expect(turn.problems).toEqual([
      {
        server: 'mute',
        reason: 'it is still starting, and turns that begin later have its tools',
      },
    ]);
    expect(turn.tools).toHaveLength(14);
    // A turn that begins later finds it known to be slow.
    expect((await turnOf(mcp)).problems).toEqual(turn.problems);
  });

  it('is waited for by a turn whose calls wait for it', async () => {
    const settings = { mcpWaitMs: 0 };
    await open({ servers: { box: stdioServer() }, settings });
    const session = { id: 'sess_1', mcpServers: null };
    const { signal } = new AbortController();
    const turn = await mcp.openForTurn({ session, signal, isPatient: true });
    expect(turn.tools).toHaveLength(14);
  });

  it('has what its command may lack named, with the entry that adds it and no value', async () => {
    const environment = {
      PATH: process.env['PATH'],
      HTTPS_PROXY: 'http://user:pass@proxy:3128',
      NODE_EXTRA_CA_CERTS: '/etc/company.pem',
      npm_config_registry: 'https://npm.company.example',
      SHELL: '/bin/sh',
    };
    const servers = { box: stdioServer('ends', { env: { HTTPS_PROXY: 'http://other:1' } }) };
    await open({ servers, environment });
    const [reason] = await reasons();
    expect(reason).toMatch(
      /; if it needs NODE_EXTRA_CA_CERTS or 1 more of this server's variables, name them in its env; it is tried/,
    );
    const [listed] = mcp.listServers();
    expect(listed?.problems.join()).toContain(
      'its command gets PATH, HOME, LANG of this server alone; if it needs NODE_EXTRA_CA_CERTS, npm_config_registry too, add "env": {"NODE_EXTRA_CA_CERTS": "${NODE_EXTRA_CA_CERTS}", "npm_config_registry": "${npm_config_registry}"} to its definition',
    );
    expect(`${reason} ${listed?.problems.join()}`).not.toMatch(/company|proxy:/);
  });

  it('lacks no variable where its command or its program is not there', async () => {
    const environment = { PATH: process.env['PATH'], HTTPS_PROXY: 'http://proxy:3128' };
    const servers = {
      command: { command: '/no/such/command' },
      program: { command: process.execPath, args: ['/no/such/program.mjs'] },
    };
    await open({ servers, environment });
    const [command, program] = await reasons();
    expect(program).toContain("Cannot find module '…/program.mjs'");
    const listed = mcp.listServers().flatMap(({ problems }) => problems);
    expect([command, program, ...listed].join()).not.toContain('HTTPS_PROXY');
  });
});

describe('an MCP server of the file', () => {
  it('runs in the folder of the file, as its relative arguments say', async () => {
    const folder = newFolder();
    const [program = ''] = stdioServer()['args'] as string[];
    const code = `process.argv[2] = 'plain'; await import(${JSON.stringify(program)});`;
    writeFileSync(path.join(folder, 'weather.mjs'), code);
    const box = { command: process.execPath, args: ['./weather.mjs'] };
    const mcpFile = path.join(folder, 'servers.json');
    writeFileSync(mcpFile, JSON.stringify({ mcpServers: { box } }));
    const mcp = await openTestMcp({ settings: { mcpFile } });
    expect(await callMcp(await turnOf(mcp), 'mcp__box__echo', { text: 'here' })).toBe('here');
    await mcp.close();
  });
});
