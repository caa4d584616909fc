import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { expectSoon } from '../support/expect-soon.js';
import { coverProcess, type Coverage } from '../support/processes/cover-process.js';
import { serverProgram } from '../support/processes/built-programs.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { newFolder } from '../support/suite.js';

const page = readFileSync(new URL('../../docs/internals/plain-turn.md', import.meta.url), 'utf8');
const [way = '', background = ''] = page.split('## In the background');
const filesIn = (text: string): string[] =>
  [...text.matchAll(/^- `(src\/[^`]+)`/gm)].map(([, file = '']) => file).toSorted();

describe('the way of a plain turn', () => {
  let server: ServerProcess;
  let coverage: Coverage;

  beforeAll(async () => {
    const [program, ...first] = serverProgram;
    server = await startProcess({ TURNPIKE_DATA_DIR: newFolder() }, [
      program,
      '--inspect=127.0.0.1:0',
      ...first,
    ]);
    coverage = await coverProcess(server.stderr());
  });

  afterAll(async () => {
    coverage.close();
    await server.kill('SIGTERM');
  });

  it('passes the files of docs/internals/plain-turn.md, and no other', async () => {
    const { client } = server;
    const sessionId = await client.createSession(newFolder());
    await (await client.turn(sessionId, 'Hello')).all();
    await coverage.take();
    const [listed, beside] = [filesIn(way), filesIn(background)];
    const passed = new Set<string>();
    // The worker gives its slot back after the reader's last frame, and some files are read again by turns of another
    // second only.
    await expectSoon(async () => {
      await (await client.turn(sessionId, 'Hello again')).all();
      for (const file of await coverage.take()) passed.add(file);
      expect(listed.filter((file) => !passed.has(file))).toEqual([]);
    });
    expect([...passed].filter((file) => ![...listed, ...beside].includes(file))).toEqual([]);
  });
});
