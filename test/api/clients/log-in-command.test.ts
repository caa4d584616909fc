import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../src/cli/program.js';
import { startDeviceProvider, type DeviceProvider } from '../../support/access/device-provider.js';
import { keyedClient } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { cliProgram } from '../../support/processes/built-programs.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

interface StoredLogin {
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
}
interface Stored {
  version: 1;
  logins: Record<string, StoredLogin>;
}

/** A user of the command line, with a folder of configuration. */
class User {
  readonly config = newFolder();

  constructor(readonly url: string) {}

  get file(): string {
    return path.join(this.config, 'turnpike', 'logins.json');
  }

  get environment(): Record<string, string> {
    return { XDG_CONFIG_HOME: this.config, TURNPIKE_URL: this.url };
  }

  /** Calls a command. `err()` is what it has said so far. */
  call(args: string[], more: Record<string, string> = {}) {
    let [out, err] = ['', ''];
    const ended = runCommand(args, {
      environment: { ...this.environment, ...more },
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      exitCode: 0,
    }).then((code) => ({ code, out, err }));
    return { ended, err: () => err };
  }

  /** Logs in as a person who answers in a browser. */
  async logIn(provider: DeviceProvider, person = 'ann', more: string[] = []) {
    const call = this.call(['login', ...more]);
    await provider.answer(await codeOf(call.err), { person });
    return call.ended;
  }

  async stored(): Promise<Stored> {
    return JSON.parse(await readFile(this.file, 'utf8')) as Stored;
  }

  /** Changes the log-in at the server. */
  async change(url: string, changed: Partial<StoredLogin>): Promise<void> {
    const stored = await this.stored();
    Object.assign(stored.logins[url] ?? {}, changed);
    await writeFile(this.file, JSON.stringify(stored));
  }

  /** Calls a command in a process of its own. */
  async spawn(args: string[]) {
    const [program, ...first] = cliProgram;
    const { PATH = '' } = process.env;
    const env = { PATH, ...this.environment };
    const child = spawn(program, [...first, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (text += piece.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, text };
  }
}

/** The code that `turnpike login` shows. */
async function codeOf(err: () => string): Promise<string> {
  let code = '';
  await expectSoon(() => {
    [, code = ''] = /type the code (\S+)/.exec(err()) ?? [];
    expect(code).not.toBe('');
  });
  return code;
}

describe('the log-in on the command line', () => {
  const file = path.join(newFolder(), 'auth.yaml');
  const [providers, server, other] = [
    useShared(async () => {
      const [one, short] = [
        await startDeviceProvider(),
        await startDeviceProvider({ codeLifeS: 1 }),
      ];
      await writeFile(file, JSON.stringify({ issuers: [one.entry('op'), short.entry('short')] }));
      const close = async () => {
        await one.close();
        await short.close();
      };
      return { one, short, close };
    }),
    useServer({ environment: { TURNPIKE_AUTH_FILE: file } }),
    useServer({ environment: { TURNPIKE_AUTH_FILE: file } }),
  ];
  const unknown = path.join(newFolder(), 'auth.yaml');
  const stranger = useServer(async () => {
    const entry = providers.one.entry('op', { client_id: 'nobody' });
    await writeFile(unknown, JSON.stringify({ issuers: [entry] }));
    return { environment: { TURNPIKE_AUTH_FILE: unknown } };
  });
  const op = ['--issuer', 'op'];

  it('shows a code, waits for the browser, and keeps tokens that others cannot read', async () => {
    const user = new User(server.url);
    const { code, out } = await user.logIn(providers.one, 'ann', op);
    expect([code, out]).toEqual([0, `You are op:ann at ${server.url}.\n`]);
    expect((await stat(user.file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(user.file))).mode & 0o777).toBe(0o700);
    const shown = await user.call(['whoami']).ended;
    expect(shown.out).toMatch(
      /Principal: op:ann\nBy: {8}log-in at op .*\nScopes: {4}turns, approvals/,
    );
    expect(shown.out).not.toContain('eyJ');
    expect((await user.call(['sessions']).ended).code).toBe(0);
  });

  it('waits longer where the provider says so', async () => {
    const user = new User(server.url);
    const call = user.call(['login', ...op]);
    const typed = await codeOf(call.err);
    providers.one.forced.push({ status: 400, body: { error: 'slow_down' } });
    await providers.one.answer(typed, { person: 'ann' });
    expect((await call.ended).code).toBe(0);
    expect(providers.one.forced).toEqual([]);
  });

  it.each<[string, object]>([
    ['texts', { expires_in: '60', interval: '0.1' }],
    ['null', { interval: null }],
  ])('takes the seconds of a code as %s', async (_what, codeFields) => {
    providers.one.codeFields = codeFields;
    const { code, out } = await new User(server.url).logIn(providers.one, 'ann', op);
    providers.one.codeFields = {};
    expect([code, out]).toEqual([0, `You are op:ann at ${server.url}.\n`]);
  });

  it('goes on when the provider was away for a moment', async () => {
    const user = new User(server.url);
    const call = user.call(['login', ...op]);
    const typed = await codeOf(call.err);
    providers.one.isAway = true;
    await expectSoon(() => expect(call.err()).toContain('op does not answer. Trying again'));
    providers.one.isAway = false;
    await providers.one.answer(typed, { person: 'ann' });
    expect((await call.ended).code).toBe(0);
  });

  it.each<[number, object | string]>([
    [429, { error: 'temporarily_unavailable' }],
    [429, '<html>Too many requests</html>'],
    [408, {}],
    [425, '<html>Too early</html>'],
    [503, '<html>Maintenance</html>'],
    [403, '<html>Blocked by the firewall</html>'],
    [200, '<html>A page</html>'],
    [400, { error: 'temporarily_unavailable' }],
  ])('waits on where one poll is answered %d %j', async (status, body) => {
    const user = new User(server.url);
    const call = user.call(['login', ...op]);
    const typed = await codeOf(call.err);
    providers.one.forced.push({ status, body });
    await expectSoon(() => expect(call.err()).toContain('op does not answer. Trying again'));
    await providers.one.answer(typed, { person: 'ann' });
    expect((await call.ended).code).toBe(0);
  });

  it.each<[number, object | string]>([
    [429, { error: 'temporarily_unavailable' }],
    [403, '<html>Blocked by the firewall</html>'],
  ])('goes on with its token where a renewal is answered %d %j', async (status, body) => {
    const user = new User(server.url);
    await user.logIn(providers.one, 'ann', op);
    await user.change(server.url, { expiresAt: Date.now() + 20_000 });
    providers.one.forced.push({ status, body });
    expect(await user.call(['whoami']).ended).toMatchObject({
      code: 0,
      out: expect.stringContaining('op:ann'),
    });
  });

  it.each<[string, (typed: string) => Promise<void>, string[], RegExp]>([
    [
      'the person refuses',
      (typed) => providers.one.answer(typed, { person: 'ann', consents: false }),
      op,
      /^LOGIN_REFUSED: .*op was refused/,
    ],
    [
      'the code is over',
      async () => undefined,
      ['--issuer', 'short'],
      /^LOGIN_EXPIRED: .*Call turnpike login again/m,
    ],
  ])('keeps nothing where %s', async (_what, answer, more, said) => {
    const user = new User(server.url);
    const call = user.call(['login', ...more]);
    const shown = call.err;
    await answer(await codeOf(shown));
    const { code, err } = await call.ended;
    expect([code, err.split('…\n').at(-1)]).toEqual([1, expect.stringMatching(said)]);
    await expect(stat(user.file)).rejects.toThrow('ENOENT');
  });

  it('says so where the provider is away', async () => {
    const user = new User(server.url);
    providers.one.isAway = true;
    const away = await user.call(['login', ...op]).ended;
    providers.one.isAway = false;
    expect([away.code, away.err]).toEqual([
      1,
      expect.stringMatching(/^PROVIDER_AWAY: .*Try again/),
    ]);
  });

  it('says what the provider has against the client', async () => {
    const body = { error: 'unauthorized_client', error_description: 'Not \u001b[31mthis one' };
    const user = new User(server.url);
    const call = user.call(['login', ...op]);
    await codeOf(call.err);
    providers.one.forced.push({ status: 400, body });
    const { code, err } = await call.ended;
    expect([code, err.split('…\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(
        /^PROVIDER_FAULT: op refused the log-in: unauthorized_client Not .*this one\. Tell the administrator/,
      ),
    ]);
    expect(err).not.toContain('\u001b');
    await expect(stat(user.file)).rejects.toThrow('ENOENT');
  });

  it('says what the provider has against the client in a header', async () => {
    const challenge = 'Basic realm="op", error="invalid_client", error_description="No secret"';
    const user = new User(server.url);
    const call = user.call(['login', ...op]);
    await codeOf(call.err);
    providers.one.forced.push({ status: 401, body: {}, challenge });
    const { code, err } = await call.ended;
    const said = 'PROVIDER_FAULT: op refused the log-in: invalid_client No secret. Tell the';
    expect([code, err.split('…\n').at(-1)]).toEqual([1, expect.stringContaining(said)]);
  });

  it('says so where the provider has no such client', async () => {
    const user = new User(stranger.url);
    const { code, err } = await user.call(['login']).ended;
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^PROVIDER_FAULT: op refused the log-in: invalid_client /),
    ]);
    await expect(stat(user.file)).rejects.toThrow('ENOENT');
  });

  it('needs the name of one provider of several', async () => {
    const user = new User(server.url);
    for (const more of [[], ['--issuer', 'none']]) {
      const { code, err } = await user.call(['login', ...more]).ended;
      expect([code, err]).toEqual([2, '--issuer must be one of op, short.\n']);
    }
  });

  it('is renewed before it ends, once for all processes', async () => {
    const user = new User(server.url);
    await user.logIn(providers.one, 'ann', op);
    const before = (await user.stored()).logins[server.url];
    await user.change(server.url, { expiresAt: Date.now() + 1 });
    providers.one.granted.splice(0);
    const ran = await Promise.all(Array.from({ length: 4 }, () => user.spawn(['whoami'])));
    expect(ran.map(({ code, text }) => [code, text.includes('op:ann')])).toEqual(
      Array.from({ length: 4 }, () => [0, true]),
    );
    expect(providers.one.granted).toEqual(['refresh_token']);
    const after = (await user.stored()).logins[server.url];
    expect(after?.refreshToken).not.toBe(before?.refreshToken);
    expect(after?.expiresAt).toBeGreaterThan(Date.now());
  });

  it('goes on with its token while the provider is away, and does not end by that', async () => {
    const user = new User(server.url);
    await user.logIn(providers.one, 'ann', op);
    await user.change(server.url, { expiresAt: Date.now() + 20_000 });
    providers.one.isAway = true;
    const during = await user.call(['whoami']).ended;
    await user.change(server.url, { expiresAt: Date.now() - 1 });
    const over = await user.call(['whoami']).ended;
    providers.one.isAway = false;
    expect(during.code).toBe(0);
    expect([over.code, over.err]).toEqual([1, expect.stringMatching(/^PROVIDER_AWAY/)]);
    expect((await user.call(['whoami']).ended).code).toBe(0);
  });

  it('that has ended at the provider says how to log in again, each time', async () => {
    const user = new User(server.url);
    await user.logIn(providers.one, 'ann', op);
    await user.change(server.url, { expiresAt: 0, refreshToken: 'of somebody else' });
    for (const args of [['whoami'], ['sessions'], ['keys', 'list']]) {
      const { code, err } = await user.call(args).ended;
      const said = `LOGIN_ENDED: The log-in at ${server.url} has ended. Log in again: turnpike login --url ${server.url}\n`;
      expect([code, err]).toEqual([1, said]);
    }
  });

  it('is less than a key that is given', async () => {
    const user = new User(server.url);
    await user.logIn(providers.one, 'ann', op);
    const key = await keyedClient(server, { principal: 'robot' });
    const more = { TURNPIKE_API_KEY: key.key ?? '' };
    expect((await user.call(['whoami'], more).ended).out).toContain('Principal: robot');
    await writeFile(user.file, '{"version":1,');
    expect((await user.call(['whoami'], more).ended).code).toBe(0);
  });

  it('is one for each server, and ends at one alone', async () => {
    const user = new User(server.url);
    await user.logIn(providers.one, 'ann', op);
    // The other server could act at the first one by its token.
    const wary = user.call(['login', ...op, '--url', `${other.url}/`]);
    expect(await wary.ended).toMatchObject({
      code: 1,
      err: expect.stringMatching(/OTHER_SERVER: .* as http.* does.*--trust-server/),
    });
    expect(wary.err()).not.toContain('type the code');
    const trusted = await user.logIn(providers.one, 'bob', [
      ...op,
      '--url',
      `${other.url}/`,
      '--trust-server',
    ]);
    expect(trusted.err).toContain(`Log in at ${providers.one.url} for ${other.url}.`);
    expect(Object.keys((await user.stored()).logins)).toEqual([server.url, other.url]);
    const { revoked } = providers.one;
    const { code, out } = await user.call(['logout']).ended;
    expect([code, out]).toEqual([0, `You are logged out of ${server.url}.\n`]);
    expect(providers.one.revoked).toBeGreaterThan(revoked);
    expect((await user.call(['whoami']).ended).err).toContain('turnpike login');
    expect((await user.call(['whoami', '--url', other.url]).ended).out).toContain('op:bob');
    expect((await user.call(['logout']).ended).out).toContain('There is no log-in');
  });

  it('ends here also where the provider is away', async () => {
    const user = new User(server.url);
    await user.logIn(providers.one, 'ann', op);
    providers.one.isAway = true;
    const { code, err } = await user.call(['logout']).ended;
    providers.one.isAway = false;
    expect([code, err]).toEqual([0, expect.stringContaining('op could not be told')]);
    expect((await user.stored()).logins).toEqual({});
  });

  it.each<[string, (file: string) => Promise<void>, string]>([
    ['others may read', (name) => chmod(name, 0o644), 'chmod 600'],
    ['is torn', (name) => writeFile(name, '{"version":1,"logins":{'), 'Delete it'],
    ['is of another kind', (name) => writeFile(name, '{"version":2}'), 'Delete it'],
  ])('does not use a file that %s', async (_what, spoil, said) => {
    const user = new User(server.url);
    await mkdir(path.dirname(user.file));
    await writeFile(user.file, '{"version":1,"logins":{}}', { mode: 0o600 });
    await spoil(user.file);
    for (const args of [['whoami'], ['login', ...op], ['logout']]) {
      const { code, err } = await user.call(args).ended;
      expect([code, err]).toEqual([1, expect.stringMatching(`^LOGIN_FILE: .*${said}`)]);
    }
  });
});

describe('a server without a log-in on the command line', () => {
  const server = useServer();

  it('says so, and who one is', async () => {
    const user = new User(server.url);
    const { code, err } = await user.call(['login']).ended;
    expect([code, err]).toEqual([1, expect.stringContaining('NO_LOGIN: ')]);
    const shown = await user.call(['whoami', '--json']).ended;
    expect(JSON.parse(shown.out)).toMatchObject({ server: server.url, principal: 'local' });
  });
});
