import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cliProgram } from '../../support/processes/built-programs.js';
import type { Ended } from '../../support/processes/run-program.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { startInteractive, type Interactive } from '../../support/processes/start-interactive.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const write = (file: string, content = 'x'): string =>
  `[[tool=write {"file_path":"${file}","content":"${content}"}]]`;

describe('turnpike chat, tail, sessions and agents', () => {
  const server = useServer();
  const folder = newFolder();
  beforeAll(async () => {
    await writeFile(path.join(folder, 'notes.txt'), 'Hello');
  });

  const environment = (more: Record<string, string> = {}): Record<string, string> => {
    const { PATH = '', HOME = '' } = process.env;
    return { PATH, HOME, TERM: 'xterm', TURNPIKE_URL: server.url, ...more };
  };

  function chat(args: string[] = [], more: Record<string, string> = {}): Interactive {
    const env = environment(more);
    return startInteractive([...cliProgram, 'chat', ...args], { cwd: folder, env });
  }

  const run = (args: string[], input = '', more: Record<string, string> = {}): Promise<Ended> =>
    runTurnpike(args, { cwd: folder, input, environment: environment(more) });

  const made = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');
  /** Waits for a question; keys that come before it are no answer. */
  async function asks(person: Interactive, file: string, from = 0): Promise<void> {
    await person.until(new RegExp(`\\? write ${file}`), from);
    if (person.isTerminal) await person.until(/y yes · /, from);
  }

  const done = /completed \(end_turn\)/;
  /** Waits until the terminal takes keys again: an earlier key is for the turn that just ended. */
  const prompted = (person: Interactive, from = 0): Promise<void> =>
    person.until(person.isTerminal ? /completed \(end_turn\)[^]*› / : done, from);

  it('talks, message by message, and remembers', async () => {
    const person = chat();
    person.send('Hello there\n');
    await person.until(done);
    expect(person.output()).toContain('You wrote: "Hello there"');
    const first = person.output().length;
    person.send('And now?\n');
    await person.until(/Earlier messages: 2/, first);
    await person.until(done, first);
    if (person.isTerminal) expect(person.output()).toContain('\u001b[2m');
    person.send('/quit\n');
    expect(await person.ended).toBe(0);
  });

  it('asks before a tool runs, and does what is answered', async () => {
    const person = chat();
    person.send(`${write('yes.txt')}\n`);
    await asks(person, 'yes.txt');
    person.send('y\n');
    await person.until(done);
    expect(await made('yes.txt')).toBe('x');
    const second = person.output().length;
    person.send(`${write('no.txt')}\n`);
    await asks(person, 'no.txt', second);
    if (person.isTerminal) {
      person.send('n');
      await person.until(/why\?/, second);
      person.send('Not there, please\n');
    } else {
      person.send('n Not there, please\n');
    }
    await person.until(done, second);
    expect(person.output().slice(second)).toContain('Not there, please');
    await expect(made('no.txt')).rejects.toThrow('ENOENT');
    person.send('/quit\n');
    expect(await person.ended).toBe(0);
  });

  it('lets the input be edited first, and asks no more for the session', async () => {
    const editor = path.join(folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i s/before/after/ "$1"\n');
    await chmod(editor, 0o755);
    const person = chat([], { EDITOR: editor });
    person.send(`${write('edited.txt', 'before')}\n`);
    await asks(person, 'edited.txt');
    person.send('e\n');
    await person.until(done);
    expect(await made('edited.txt')).toBe('after');
    const second = person.output().length;
    person.send(`${write('same.txt')}\n`);
    await asks(person, 'same.txt', second);
    person.send('s\n');
    await person.until(done, second);
    const third = person.output().length;
    person.send(`${write('same.txt')}\n`);
    await person.until(done, third);
    expect(person.output().slice(third)).not.toContain('? write');
    person.send('/quit\n');
    await person.ended;
  });

  it('ends the turn at a Ctrl-C, and goes on talking', async () => {
    const person = chat();
    person.send('[[tokens=5000 gap=5]]\n');
    await person.until(/session sess_/);
    person.interrupt();
    await person.until(/interrupted \(interrupt\)/);
    const second = person.output().length;
    person.send('Still there?\n');
    await prompted(person, second);
    person.endInput();
    expect(await person.ended).toBe(0);
  });

  it('leaves at a Ctrl-C while nothing runs, at a terminal at the second one', async () => {
    const person = chat();
    person.send('Hello\n');
    await prompted(person);
    person.interrupt();
    if (person.isTerminal) {
      await person.until(/Ctrl-C again leaves/);
      person.interrupt();
    }
    expect(await person.ended).toBe(person.isTerminal ? 0 : null);
  });

  it('knows its commands', async () => {
    const count = async (): Promise<number> =>
      (await run(['sessions', '--limit', '100'])).stdout.trim().split('\n').length;
    const before = await count();
    const person = chat();
    person.send('/help\n');
    await person.until(/\/model \[NAME\]/);
    person.send('/fly\n');
    await person.until(/There is no \/fly/);
    person.send('/model claude-opus-4-8\n');
    person.send('Hello\n');
    await person.until(done);
    const [sessionId = ''] = /sess_[0-9a-f-]+/.exec(person.output()) ?? [];
    person.send('/new\n');
    await person.until(/begins a new session/);
    person.send('/sessions\n');
    await person.until(new RegExp(`${sessionId} .*Hello`));
    person.send(`/sessions ${sessionId}\n`);
    await person.until(new RegExp(`Going on with ${sessionId}`));
    const last = person.output().length;
    person.send('Again\n');
    await person.until(/Earlier messages: 2/, last);
    person.send('/quit\n');
    await person.ended;
    const { body } = await server.client.get(`/api/harness/session/${sessionId}`);
    expect(body['session']).toMatchObject({ model: 'claude-opus-4-8' });
    // The unknown command left none.
    expect(await count()).toBe(before + 1);
  });

  it('takes its lines from a program, and writes frames for it', async () => {
    const message = write('piped.txt');
    const { code, stdout, stderr } = await run(['chat', '--json'], `${message}\ny\nBye\n`);
    expect(code).toBe(0);
    const frames = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    const exits = frames.filter(({ event }) => event === 'process:exit');
    expect([exits.length, await made('piped.txt')]).toEqual([2, 'x']);
    expect(stderr).not.toContain('\u001b');
  });

  it('ends as the last turn did, where a program talks', async () => {
    expect((await run(['chat'], '[[fail=400]]\n')).code).toBe(1);
    expect((await run(['chat'], '[[fail=400]]\nHello\n')).code).toBe(0);
    expect((await run(['chat', '--session', 'sess_x'], 'Hello\n')).code).toBe(1);
    expect((await run(['chat', '--nope'], '')).code).toBe(2);
  });

  it('tails a turn from its start, or from an event on', async () => {
    const sessionId = await server.client.createSession(folder);
    const turn = await server.client.turn(sessionId, '[[tool=read {"file_path":"notes.txt"}]]');
    const frames = await turn.all();
    const turnId = turn.header('x-turn-id');
    const whole = await run(['tail', turnId]);
    expect([whole.code, whole.stdout]).toEqual([0, 'The tools answered:\n- read: Hello\n']);
    const after = frames[3]?.id ?? '';
    const rest = await run(['tail', turnId, '--after', after, '--json']);
    const ids = rest.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(frames.slice(4).map(({ id }) => id));
    const none = await run(['tail', 'turn_00000000-0000-4000-8000-000000000000']);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('TURN_NOT_FOUND')]);
    expect((await run(['tail'])).code).toBe(2);
    // Nothing serves at this port: the program does not wait for it.
    const nowhere = await run(['tail', turnId], '', { TURNPIKE_URL: 'http://127.0.0.1:9' });
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/cannot be reached/)]);
  });

  it('lists sessions and agents, for people and for programs', async () => {
    const sessions = await run(['sessions', '--limit', '3']);
    // The head, and three sessions.
    expect([sessions.code, sessions.stdout.trim().split('\n').length]).toEqual([0, 4]);
    expect(sessions.stdout).toContain(folder);
    const json = await run(['sessions', '--limit', '1', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ projectRoot: folder });
    const agents = await run(['agents', '--json']);
    const [agent] = agents.stdout.trim().split('\n');
    expect(JSON.parse(agent ?? '')).toHaveProperty('name');
    expect((await run(['agents'])).stdout.split('\n').length).toBeGreaterThan(1);
    for (const wrong of [
      ['sessions', '--limit', 'x'],
      ['agents', '--limit', '1'],
      ['sessions', '--no'],
    ])
      expect((await run(wrong)).code).toBe(2);
  });
});
