import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runTurnpike, type RunOptions } from '../support/processes/run-turnpike.js';
import type { Ended } from '../support/processes/run-program.js';
import { useServer } from '../support/processes/start-server.js';
import { newFolder } from '../support/suite.js';

/** Nobody sits at a terminal: no command waits for an answer that cannot come. */
describe('a turn on the command line that asks', () => {
  const server = useServer();
  const folder = newFolder();
  const run = (args: string[], { ...more }: RunOptions = {}): Promise<Ended> =>
    runTurnpike(args, { cwd: folder, environment: { TURNPIKE_URL: server.url }, ...more });

  const writing = (file: string): string =>
    `[[tool=write ${JSON.stringify({ file_path: file, content: 'x' })}]]`;

  it.each([[[]], [['--json']], [['--output', 'any.json']]])(
    'leaves a turn that waits for an answer, with 3 and what answers it: %j',
    async (options) => {
      await writeFile(path.join(folder, 'any.json'), '{"type":"object"}');
      const { code, stderr } = await run(['turn', writing('left.txt'), ...options]);
      const [, id = '', turn = ''] =
        /\n {2}.*turnpike'? approve (appr_[\w-]+) [^]*: .*turnpike'? tail (turn_\S+)\n$/.exec(
          `\n${stderr}`,
        ) ?? [];
      expect([code, id, turn, stderr]).toEqual([
        3,
        expect.stringMatching(/^appr_/),
        expect.stringMatching(/^turn_/),
        expect.stringContaining('The turn waits for an answer, and nobody is asked here.'),
      ]);
      const early = await run(['tail', turn]);
      expect([early.code, early.stderr.includes(` approve ${id}`)]).toEqual([3, true]);
      expect((await run(['deny', id, 'Not now'])).code).toBe(0);
      const rest = await run(['tail', turn]);
      expect([rest.code, rest.stderr.includes('nobody is asked')]).toEqual([0, false]);
    },
  );

  it('answers what a turn asks, with --approve and --deny', async () => {
    const approved = await run(['turn', '--approve', writing('approved.txt')]);
    expect([approved.code, await readFile(path.join(folder, 'approved.txt'), 'utf8')]).toEqual([
      0,
      'x',
    ]);
    const denied = await run(['turn', '--deny', writing('denied.txt')]);
    expect([denied.code, denied.stderr.includes('deny, by')]).toEqual([0, true]);
    expect(await readdir(folder)).not.toContain('denied.txt');
    const both = await run(['turn', '--approve', '--deny', 'Hi']);
    expect(both.code).toBe(2);
  });

  it('leaves a piped chat whose question nobody answers with 3', async () => {
    const { code, stderr } = await run(['chat'], { input: `${writing('chat.txt')}\n` });
    const [, id = ''] = /turnpike'? approve (appr_[0-9a-f-]+)/.exec(stderr) ?? [];
    expect([code, (await run(['deny', id])).code]).toEqual([3, 0]);
  });

  it('is listed with what it waits for, and goes on once that is answered', async () => {
    const left = await run(['turn', writing('made.txt')]);
    const id = /turnpike'? approve (appr_[0-9a-f-]+)/.exec(left.stderr)?.[1] ?? '';
    const listed = await run(['approvals']);
    expect(listed.stdout).toContain(id);
    expect(listed.stdout).toContain('made.txt');
    expect((await run(['approve'])).code).toBe(2);
    expect((await run(['approve', id, '--wrong'])).code).toBe(2);
    const answered = await run(['approve', id]);
    expect([answered.code, answered.stderr]).toEqual([
      0,
      expect.stringMatching(/^Approved\. .* tail turn_\S+\n$/),
    ]);
    const turnId = /turnpike'? tail (turn_\S+)/.exec(left.stderr)?.[1] ?? '';
    const { code, stderr } = await run(['tail', turnId]);
    expect(code).toBe(0);
    expect(stderr).toContain('→ write');
    const late = await run(['deny', id, 'Too', 'late']);
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('APPROVAL_RESOLVED')]);
  });
});
