import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startOAuthMcp, type OAuthMcp } from '../../support/mcp/start-oauth-mcp.js';
import { cliProgram } from '../../support/processes/built-programs.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const [program, ...first] = cliProgram;

describe('log-ins at MCP servers, from the command line', () => {
  let tracker: OAuthMcp;
  const server = useServer(async () => {
    tracker = await startOAuthMcp();
    const file = path.join(newFolder(), 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { tracker: { url: tracker.url } } }));
    return { environment: { TURNPIKE_MCP_FILE: file } };
  });
  afterAll(() => tracker.close());

  const turnpike = (...args: string[]) =>
    runTurnpike(['mcp', ...args], { environment: { TURNPIKE_URL: server.url } });

  /** Logs in, with a browser that opens what the command prints. */
  async function logIn(): Promise<{ code: number | null; stdout: string; page: string }> {
    const env = { PATH: process.env['PATH'], TURNPIKE_URL: server.url };
    const child = spawn(program, [...first, 'mcp', 'login', 'tracker'], { env });
    const [out, shown]: [string[], string[]] = [[], []];
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
    const page = new Promise<string>((resolve) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        shown.push(text);
        const [url] = /http\S+authorize\S+/.exec(shown.join('')) ?? [];
        // The browser follows the redirect to the page of the command.
        if (url !== undefined)
          fetch(url).then(async (answer) => resolve(await answer.text()), resolve);
      });
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, stdout: out.join(''), page: await page };
  }

  it('are made, listed and ended', async () => {
    expect((await turnpike('list')).stdout).toMatch(
      new RegExp(`^SERVER +HOST +LOG-IN\\ntracker +${tracker.host} +none\\n$`),
    );
    expect(await logIn()).toEqual({
      code: 0,
      stdout: 'You are logged in at tracker.\n',
      page: 'The terminal has the answer. You can close this page.',
    });
    expect((await turnpike('list')).stdout).toMatch(
      /^SERVER .*\ntracker +\S+ +mcpl_\S+ +http\S+ +\S+ \S+\n$/,
    );
    expect((await turnpike('logout', 'tracker')).stdout).toBe('You are logged out at tracker.\n');
    expect(tracker.revoked).toHaveLength(2);
    const none = await turnpike('logout', 'tracker');
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('not logged in at tracker'),
    ]);
  });

  it('are refused with what to do', async () => {
    const wrong = await turnpike('login', 'nobody');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('no such MCP server')]);
  });
});
