import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { textOf } from '../support/processes/text-of-log.js';
import { cliProgram } from '../support/processes/built-programs.js';
import { newDataFolder } from '../support/database/database-folder.js';
import { startInteractive } from '../support/processes/start-interactive.js';
import type { Ended } from '../support/processes/run-program.js';
import { runTurnpike, type RunOptions } from '../support/processes/run-turnpike.js';
import { useServer } from '../support/processes/start-server.js';
import { given } from '../support/processes/test-services.js';
import { newFolder } from '../support/suite.js';

describe('turnpike on the command line', () => {
  const server = useServer();
  const folder = newFolder();
  beforeAll(async () => {
    await writeFile(path.join(folder, 'notes.txt'), 'Hello');
  });

  /** A folder in which no server runs, with an environment that names none. */
  async function elsewhere() {
    const cwd = await mkdtemp(path.join(folder, 'elsewhere-'));
    return { cwd, environment: { TURNPIKE_URL: '', TURNPIKE_PORT: '0' } };
  }

  const run = (args: string[], { environment, ...more }: RunOptions = {}): Promise<Ended> =>
    runTurnpike(args, {
      cwd: folder,
      environment: { TURNPIKE_URL: server.url, ...environment },
      ...more,
    });

  /** A command in a process of its own. */
  function start(args: string[], environment: Record<string, string> = {}, input = '') {
    const { PATH = '', HOME = '' } = process.env;
    const [program, ...first] = cliProgram;
    const child = spawn(program, [...first, ...args], {
      cwd: folder,
      env: { PATH, HOME, TURNPIKE_URL: server.url, ...environment },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.end(input);
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
    return { child, ended, stdout: () => stdout };
  }

  const listSessions = async () =>
    (await server.client.get('/api/harness/sessions?limit=100')).body['sessions'];

  it('prints the reply alone on standard output, and the rest beside it', async () => {
    const message = '[[tool=read {"file_path":"notes.txt"}]]';
    const { code, stdout, stderr } = await start(['turn', message]).ended;
    expect(code).toBe(0);
    expect(stdout).toBe('The tools answered:\n- read: Hello\n');
    expect(stderr).toMatch(/^session sess_\S+\n→ read notes\.txt … ok, \d+ ms\n/);
    expect(stderr).toMatch(
      /completed \(end_turn\) · 2 steps · \d+ tokens in, \d+ out · [\d.]+ s · turn_/,
    );
    expect(stderr).not.toContain('\u001b');
  });

  it('prints a new key alone on standard output', async () => {
    const environment = { TURNPIKE_URL: '', TURNPIKE_DATA_DIR: await newDataFolder() };
    const made = await run(['keys', 'create', '--principal', 'alice'], { environment });
    expect(made.stdout).toMatch(/^tpk_\S+\n$/);
    expect(made.stderr).toMatch(/^Key \S+ of alice, for .*\. It is not shown again\.\n/);
  });

  it('goes on with a session, and attaches files from the folder it was called in', async () => {
    const first = await run(['turn', 'Hello', '--attach', 'notes.txt']);
    const sessionId = /sess_[0-9a-f-]+/.exec(first.stderr)?.[0] ?? '';
    const second = await run(['turn', 'And now?', '--session', sessionId]);
    expect(second.stdout).toContain('Earlier messages: 2');
  });

  it('prints the object alone with --output, and exits with 1 where there is none', async () => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } } };
    await writeFile(path.join(folder, 'schema.json'), JSON.stringify(schema));
    const asking = ['turn', '--output', 'schema.json'];
    const done = await run([...asking, '[[output={"count":7}]]']);
    expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { count: 7 }]);
    const missed = await run([...asking, '[[output=prose]]']);
    expect([missed.code, missed.stdout]).toEqual([1, '']);
    expect(missed.stderr).toContain('The model did not write the object');
    const cut = await run([...asking, '[[output={"count":7}]] [[stop=max_tokens]]']);
    expect([cut.code, cut.stdout]).toEqual([1, '']);
    expect(cut.stderr).toContain('The turn ended with no object: limited, max_tokens.');
    const wrong = await run(['turn', '--output', 'notes.txt', 'Hello']);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  });

  it('prints every frame as JSON with --json', async () => {
    const { stdout } = await run(['turn', '--json', 'Hello']);
    const frames = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(frames.find(({ event }) => event !== 'turn:queued')?.event).toBe('session:init');
    expect(frames.at(-1)).toMatchObject({ event: 'process:exit', data: { exitCode: 0 } });
  });

  it('reads the message from standard input, with a dash and without', async () => {
    for (const { stdout } of [
      await start(['turn', '-'], {}, 'from a pipe').ended,
      await run(['turn'], { input: 'from a pipe' }),
    ]) {
      expect(stdout).toContain('You wrote: "from a pipe"');
    }
    const { code, stderr } = await run(['turn'], { input: ' \n' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Say what the turn is about')]);
  });

  it('exits as the turn does: 1 for a failure, 130 for Ctrl-C', async () => {
    const failed = await start(['turn', '[[fail=400]]']).ended;
    expect([failed.code, failed.stderr.includes('✗ SDK_FAILURE: ')]).toEqual([1, true]);
    const running = start(['turn', '--json', '[[tokens=2000 gap=10]]']);
    await new Promise<void>((resolve) =>
      running.child.stdout.on('data', () => {
        if (running.stdout().includes('chat:delta')) resolve();
      }),
    );
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    const end = stdout.split('\n').find((line) => line.includes('"turn:end"')) ?? '{}';
    expect([code, JSON.parse(end)]).toEqual([
      130,
      expect.objectContaining({ data: expect.objectContaining({ outcome: 'interrupted' }) }),
    ]);
  });

  it('says what is wrong with a call, and exits with 2', async () => {
    for (const args of [['turn'], ['turn', '--nope', 'x'], ['fly'], ['--nope']]) {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toBe('');
    }
    const serving = await start(['serve', '--nope']).ended;
    expect([serving.code, serving.stdout, serving.stderr === '']).toEqual([2, '', false]);
    const { stderr } = await run(['fly']);
    expect(stderr).toBe('There is no command fly. turnpike --help lists the commands.\n');
    const near = await run(['sesions']);
    expect(near.stderr).toContain('Did you mean sessions?');
  });

  it.each<[args: string[], says: string]>([
    [['turn', 'Hi', '--attach', '/nope'], '/nope: there is no such file.'],
    [['turn', 'Hi', '--output', '/nope'], '/nope: there is no such file.'],
    [['turn', 'Hi', '--tools', 'nope'], '--tools names the tool "nope", which does not exist;'],
    [['turn', 'Hi', '--mode', 'yolo'], '--mode names the mode "yolo", which does not exist;'],
    [['turn', 'Hi', '--atach', 'x'], 'There is no option --atach. Did you mean --attach?'],
    [['turn', 'Hi', '--model'], 'The option --model needs a value.'],
  ])('leaves no session behind for a wrong call: %j', async (args, says) => {
    const before = await listSessions();
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
    expect(await listSessions()).toEqual(before);
  });

  it('leaves no session behind where the turn is refused', async () => {
    const before = await listSessions();
    const refused = await run(['turn', 'Hi', '--agent', 'nope']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('PERSONA_NOT_FOUND'),
    ]);
    expect(await listSessions()).toEqual(before);
  });

  it('says that nothing is stored of a principal that there is not', async () => {
    const { code, stdout } = await run(['forget', 'alic', '--dry-run']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing is stored of "alic"')]);
  });

  it('helps with all commands, and with one', async () => {
    for (const args of [['--help'], ['help']]) {
      const all = await run(args);
      expect(all.code).toBe(0);
      for (const name of ['turn', 'serve', 'forget'])
        expect(all.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
      expect(all.stdout).not.toContain('--keep-old');
    }
    for (const args of [
      ['turn', '--help'],
      ['help', 'turn'],
      ['turn', '-h'],
    ]) {
      const { code, stdout } = await run(args);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Usage: \S*turnpike turn \[options\] \[MESSAGE\.\.\.\]/);
      expect(stdout).toContain('--replaces <TURN>');
      expect(stdout).toContain('--url <URL>');
      expect(stdout).not.toContain('talk, message by message');
    }
    const near = await run(['help', 'sesions']);
    expect([near.code, near.stderr]).toEqual([
      2,
      expect.stringContaining('Did you mean sessions?'),
    ]);
  });

  it('asks at a terminal whether a call may run', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const write = '[[tool=write {"file_path":"asked.txt","content":"x"}]]';
    const person = startInteractive([...cliProgram, 'turn', write], {
      cwd: folder,
      env: { PATH, HOME, TERM: 'xterm', TURNPIKE_URL: server.url },
    });
    if (person.isTerminal) {
      await person.until(/y yes · s yes, for the session · n no/);
      person.send('y');
      await person.until(/completed \(end_turn\)/);
      expect(await person.ended).toBe(0);
      expect(await readFile(path.join(folder, 'asked.txt'), 'utf8')).toBe('x');
    } else person.interrupt();
  });

  it('takes a paste at a terminal as one message', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const person = startInteractive([...cliProgram, 'chat'], {
      cwd: folder,
      env: { PATH, HOME, TERM: 'xterm', TURNPIKE_URL: server.url },
    });
    if (person.isTerminal) {
      await person.until(/› /);
      person.send('\u001b[200~First line\nsecond line\nthird\u001b[201~\r');
      await person.until(/completed \(end_turn\)[^]*› /);
      expect(person.output()).toMatch(/You wrote: "First line\s+second line\s+third"/);
      expect(person.output().match(/completed \(end_turn\)/g)).toHaveLength(1);
    }
    person.endInput();
    await person.ended;
  });

  it('says its version', async () => {
    const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const { code, stdout } = await run(['--version']);
    expect(code).toBe(0);
    // The commit follows where the build had one.
    expect(stdout).toMatch(/^\S+( \([0-9a-f]{40}(-dirty)?\))?\n$/);
    expect(stdout.trim().split(' ')[0]).toBe(version);
  });

  it('finds the server on the port that npm start uses, and leaves no folder', async () => {
    const { cwd, environment } = await elsewhere();
    const { port } = new URL(server.url);
    const at = { cwd, environment: { ...environment, TURNPIKE_PORT: port } };
    const turn = await run(['turn', 'Hello'], at);
    expect(turn.stdout).toContain('This is the rehearsal model.');
    expect(turn.stderr).toContain(`server http://127.0.0.1:${port}\nsession sess_`);
    const listed = await run(['sessions', '--limit', '1'], at);
    expect(listed.stdout).toContain(cwd);
    const named = await run(['sessions', '--url', server.url], { cwd, environment });
    expect([named.code, named.stderr]).toEqual([0, '']);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('starts none to look at it, nor unasked, says what to do, and leaves no folder', async () => {
    const at = await elsewhere();
    const turnId = 'turn_00000000-0000-4000-8000-000000000000';
    const only = ['sessions', 'agents', 'models', 'approvals', `tail ${turnId}`, 'keys list'];
    for (const command of [...only, 'turn Hello', 'chat']) {
      const { code, stdout, stderr } = await run(command.split(' '), at);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^No server was found: .* name one with --url or TURNPIKE_URL\..*\n$/);
      expect(stderr.includes('--start')).toBe(command === 'turn Hello' || command === 'chat');
    }
    expect(await readdir(at.cwd)).toEqual([]);
  });

  it('offers to start one at a terminal', async () => {
    const { cwd, environment } = await elsewhere();
    const { PATH = '', HOME = '' } = process.env;
    const person = startInteractive([...cliProgram, 'chat'], {
      cwd,
      env: { PATH, HOME, TERM: 'xterm', ...environment },
    });
    if (!person.isTerminal) {
      expect(await person.ended).toBe(1);
      return;
    }
    await person.until(
      /Start one until this command ends, with its data in .*elsewhere-.*\? \[y\/N\] /,
    );
    expect(await readdir(cwd)).toEqual([]);
    person.send('n\n');
    expect(await person.ended).toBe(1);
    expect(person.output()).toContain('No server was started.');
    expect(await readdir(cwd)).toEqual([]);
  });

  it('starts one at a terminal when its person says so', async () => {
    const { cwd, environment } = await elsewhere();
    const { PATH = '', HOME = '' } = process.env;
    const person = startInteractive([...cliProgram, 'turn', 'Hello'], {
      cwd,
      env: { PATH, HOME, TERM: 'xterm', ...environment },
    });
    if (person.isTerminal) {
      await person.until(/\[y\/N\] /);
      person.send('y\n');
      await person.until(/completed \(end_turn\)/);
    }
    expect([await person.ended, await readdir(cwd)]).toEqual(
      person.isTerminal ? [0, ['.turnpike']] : [1, []],
    );
  });

  it('says why a turn was refused, or a server not reached', async () => {
    const session = 'sess_00000000-0000-4000-8000-000000000000';
    const refused = await run(['turn', 'x', '--session', session]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('SESSION_NOT_FOUND: There is no session'),
    ]);
    const environment = { TURNPIKE_URL: 'http://127.0.0.1:9' };
    const unreachable = await run(['turn', 'x'], { environment });
    expect([unreachable.code, unreachable.stderr]).toEqual([
      1,
      expect.stringContaining('The server cannot be reached'),
    ]);
  });

  it('starts a server of its own where an option says so', async () => {
    const { environment: nowhere } = await elsewhere();
    const environment = { ...nowhere, TURNPIKE_DATA_DIR: await newDataFolder() };
    const { code, stdout } = await start(['turn', '--start', 'Hello'], environment).ended;
    expect([code, stdout.includes('This is the rehearsal model.')]).toEqual([0, true]);
  });

  it('finds the server of the folder, which prints lines of JSON alone where nobody reads a terminal, in a pod of Kubernetes too', async () => {
    const TURNPIKE_DATA_DIR = path.join(
      await mkdtemp(path.join(given('TEST_DATABASES'), 'new-')),
      'data',
    );
    const serving = start(['serve', '--port', '0'], {
      TURNPIKE_DATA_DIR,
      TURNPIKE_SERVICE_HOST: '10.96.0.12',
      TURNPIKE_PORT: 'tcp://10.96.0.12:4400',
      TURNPIKE_PORT_4400_TCP_ADDR: '10.96.0.12',
    });
    await new Promise<void>((resolve) => {
      serving.child.stdout.on('data', () => {
        if (serving.stdout().includes('\n')) resolve();
      });
    });
    const [line = ''] = serving.stdout().split('\n');
    const started = JSON.parse(line) as Record<string, string>;
    expect(started).toMatchObject({ level: 'info', role: 'all', url: expect.any(String) });
    expect(started['msg']).toContain(`serves ${started['url']} `);
    await fetch(`${started['url']}/none`, { headers: { 'x-request-id': 'one-line' } });
    const environment = { TURNPIKE_URL: '', TURNPIKE_PORT: '0', TURNPIKE_DATA_DIR };
    const turn = await run(['turn', 'Hello'], { environment });
    expect([turn.code, turn.stdout.includes('This is the rehearsal model.')]).toEqual([0, true]);
    serving.child.kill('SIGTERM');
    const { code, stdout, stderr } = await serving.ended;
    expect(code).toBe(0);
    const lines = `${stdout}${stderr}`.trim().split('\n');
    const parsed = lines.map((one) => JSON.parse(one) as Record<string, unknown>);
    const names = ['TURNPIKE_PORT_4400_TCP_ADDR', 'TURNPIKE_SERVICE_HOST'];
    // The port is set by the command line here: an option comes before the environment.
    expect(parsed).toContainEqual(expect.objectContaining({ level: 'info', variables: names }));
    expect(parsed.filter(({ requestId }) => requestId === 'one-line')).toHaveLength(1);
  });

  it('does not start on a bad configuration, and names all that is wrong', async () => {
    const environment = { TURNPIKE_PORT: 'x', TURNPIKE_HSOT: '1' };
    const { code, stderr } = await start(['serve'], environment).ended;
    expect(code).toBe(1);
    // A line of JSON: nobody looks at a terminal.
    expect(textOf(stderr)).toContain(
      'TURNPIKE_PORT must be a whole number from 0 to 65535, not "x"',
    );
    expect(stderr).toContain('TURNPIKE_HSOT is not a configuration variable');
  });
});
