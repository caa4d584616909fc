import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { turnpikeFunction } from '../processes/built-programs.js';
import { startServer, type TestServer } from '../processes/start-server.js';

/** Takes a block's code and the output of the page's block before it. @returns the block's own output. */
export type Run = (code: string, before: string) => Promise<string>;

/** A text of an output, a pattern of it, or fields of the JSON that it is. */
type Shown = string | RegExp | object;
type Program = (client: TurnpikeClient, ...ids: string[]) => Promise<unknown>;

const run = promisify(execFile);
const tests = fileURLToPath(new URL('../../', import.meta.url));
const AsyncFunction = (async () => undefined).constructor as new (...source: string[]) => Program;

/** The pages of a suite; what they start ends with it. */
export function useDocumentedPage(server: TestServer): DocumentedPage {
  const page = new DocumentedPage(server);
  afterAll(() => page.close());
  return page;
}

/** Runs the blocks of a page as its reader would, in a project with the files that pages name. */
export class DocumentedPage {
  /** What the shortened ids of the page stand for. */
  names: Record<string, string> = {};
  /** Keys close a server to those who have none, so that these have a server apart. */
  #keyed: Promise<TestServer> | undefined;

  constructor(private readonly server: TestServer) {}

  async close(): Promise<void> {
    await (await this.#keyed)?.close();
  }

  async shell(code: string, environment?: Record<string, string>): Promise<string> {
    const { url, projectRoot: cwd } = this.server;
    const names = { 'http://127.0.0.1:4400': url, ...this.names };
    const script = Object.entries(names).reduce((text, name) => text.replaceAll(...name), code);
    const env = { ...process.env, ...(environment ?? { TURNPIKE_URL: url }) };
    const given = ['-euo', 'pipefail', '-c', turnpikeFunction + script];
    return (await run('bash', given, { cwd, env, timeout: 600_000 })).stdout;
  }

  /** A use of a block of commands: they print all of this. */
  readonly prints =
    (...shown: Shown[]): Run =>
    async (code) => {
      const output = await this.shell(code);
      for (const one of shown) {
        if (typeof one === 'string') expect(output).toContain(one);
        else if (one instanceof RegExp) expect(output).toMatch(one);
        else expect(JSON.parse(output)).toMatchObject(one);
      }
      return output;
    };

  /** Makes the session that the page is about. */
  async session(): Promise<string> {
    const { client, projectRoot } = this.server;
    return (this.names['sess_b01a…'] = await client.createSession(projectRoot));
  }

  /** Runs the turn that the page is about, in a new session. */
  async turn(message = 'Hello'): Promise<{ sessionId: string; turnId: string }> {
    const sessionId = await this.session();
    const stream = await this.server.client.turn(sessionId, message);
    await stream.all();
    const turnId = (this.names['turn_094c…'] = stream.header('x-turn-id'));
    return { sessionId, turnId };
  }

  readonly createsSession: Run = async (code) => {
    const output = await this.shell(code);
    const made = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '') as {
      session: { sessionId: string };
    };
    this.names['sess_b01a…'] = made.session.sessionId;
    return output;
  };

  readonly runsTurn: Run = async (code) => {
    const stream = await this.prints('event: process:exit')(code, '');
    this.names['turn_094c…'] = /^id: (turn_[^:]+):/m.exec(stream)?.[1] ?? 'none';
    return stream;
  };

  /** Runs a turn in a new session. */
  readonly runsOneTurn: Run = async (code, before) => {
    await this.session();
    return this.runsTurn(code, before);
  };

  readonly makesKey: Run = async (code) => {
    await this.shellWithKey(code);
    expect(this.names['tpk_…']).toMatch(/^tpk_/);
    return '';
  };

  /** A use of a module of a reader who has installed the packages of others: it prints this. */
  readonly runsModule =
    (shown: string, more = ''): Run =>
    async (code) => {
      const script = code.replaceAll('http://127.0.0.1:4400', this.server.url) + more;
      const given = ['--input-type=module', '-e', script];
      const { stdout } = await run(process.execPath, given, { cwd: tests });
      expect(stdout).toContain(shown);
      return stdout;
    };

  /** Runs TypeScript that needs no types to run, with a client and a turn. @returns what it does. */
  evaluate(code: string, { sessionId, turnId }: { sessionId: string; turnId: string }) {
    const client = new TurnpikeClient({ url: this.server.url });
    return new AsyncFunction('client', 'sessionId', 'turnId', code)(client, sessionId, turnId);
  }

  /** Runs commands on the server of those that make keys, where they need one; the first of them makes it. */
  async shellWithKey(code: string): Promise<string> {
    const own = await (this.#keyed ??= startServer());
    const { environment } = own.store;
    const [create = '', ...rest] = code.split('\n');
    try {
      // The key is on standard output, its id beside it.
      const made = await this.shell(`{ ${create}\n} 2>&1`, environment);
      this.names['http://127.0.0.1:4400'] = own.url;
      this.names['tpk_…'] = /tpk_[\w-]+/.exec(made)?.[0] ?? 'none';
      this.names['revoke ID'] = `revoke ${/Key (\S+) of alice/.exec(made)?.[1] ?? 'none'}`;
      return await this.shell(rest.join('\n'), environment);
    } finally {
      delete this.names['http://127.0.0.1:4400'];
    }
  }
}
