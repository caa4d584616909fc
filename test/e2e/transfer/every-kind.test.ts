import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { recordKinds } from '../../../src/features/portability/record-kinds.js';
import { newOtherStore } from '../../support/database/test-store.js';
import type { Ended } from '../../support/processes/run-program.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import {
  exportOf,
  importInto,
  startKeyed,
  type Keyed,
} from '../../support/transfer/keyed-server.js';
import { storeEveryKind } from '../../support/transfer/sample-rows.js';
import { newFolder, useShared } from '../../support/suite.js';
import { serveHttp } from '../../support/serve-http.js';

/** Rows with one odd value each. */
const MUTANTS = process.env['TEST_RELEASE'] === undefined ? 60 : 2_000;

describe('export, import, export on the command line', () => {
  let ids: { sessionId: string; turnId: string };
  const folder = newFolder();
  const server = useShared(() => startKeyed());
  const store = useShared(newOtherStore);
  const other = useShared(() => startKeyed({ store }));
  beforeAll(async () => {
    ids = await storeEveryKind(server.db);
  });

  const run = (url: string, headers: Record<string, string>, args: string[]): Promise<Ended> => {
    const key = headers['authorization']?.replace('Bearer ', '') ?? '';
    return runTurnpike(args, { environment: { TURNPIKE_URL: url, TURNPIKE_API_KEY: key } });
  };
  const at = (one: Keyed, ...args: string[]): Promise<Ended> => run(one.url, one.headers, args);
  const bodyOf = (text: string): string => text.slice(text.indexOf('\n'));

  it('keep a row of every kind', async () => {
    const [first, second] = ['a.jsonl', 'b.jsonl'].map((name) => path.join(folder, name));
    if (first === undefined || second === undefined) throw new Error('There are two files');
    const done = '1 session and 1 memory file exported to';
    expect(await at(server, 'export', '--output', first)).toEqual({
      code: 0,
      stdout: '',
      stderr: `${done} ${first}.\n`,
    });
    const text = await readFile(first, 'utf8');
    const types = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(expect.arrayContaining([...recordKinds.keys()]));
    const imported = await at(other, 'import', first);
    expect(imported).toMatchObject({
      code: 0,
      stdout: '1 session imported, 1 memory file imported\n',
    });
    expect((await at(other, 'export', '--output', second)).stderr).toBe(`${done} ${second}.\n`);
    expect(bodyOf(await readFile(second, 'utf8'))).toBe(bodyOf(text));
    expect((await at(server, 'export')).stdout.split('\n').slice(1)).toEqual(
      text.split('\n').slice(1),
    );
    expect((await stat(first)).mode & 0o777).toBe(0o600);
  });

  const routesOf = ({ sessionId, turnId }: typeof ids): string[] => [
    `/api/harness/session/${sessionId}`,
    `/api/harness/sessions/${sessionId}/messages`,
    `/api/harness/sessions/${sessionId}/todos`,
    `/api/harness/sessions/${sessionId}/turns`,
    `/api/harness/turns/${turnId}`,
    `/api/harness/turns/${turnId}/steps`,
    `/api/harness/turns/${turnId}/tools`,
    `/api/harness/turns/${turnId}/log`,
    `/api/harness/turns/${turnId}/feedback`,
    `/api/harness/turns/${turnId}/events`,
    `/api/chat/${sessionId}`,
    `/api/harness/sessions`,
  ];

  it('are read as they were', async () => {
    for (const route of routesOf(ids).slice(0, -1)) {
      const [here, there] = [await server.client.get(route), await other.client.get(route)];
      expect([route, here.status]).toEqual([route, 200]);
      expect([there.status, there.body]).toEqual([here.status, here.body]);
    }
  });

  it('take no row that could not be read, and name the line of one', async () => {
    const lines = (await exportOf(server)).trimEnd().split('\n');
    const rows = lines.flatMap((line, index) => (line.includes('"row":') ? [index] : []));
    const oddities = [null, -1, 1.5, '', 'odd', true, [], {}, [{}], { type: 'odd' }, undefined];
    const change = fc.record({
      row: fc.constantFrom(...rows),
      place: fc.nat({ max: 1_000_000 }),
      odd: fc.constantFrom(...oddities),
    });
    const counts = { refused: 0, read: 0 };
    for (const [mutant, { row, place, odd }] of fc
      .sample(change, { numRuns: MUTANTS, seed: 41 })
      .entries()) {
      const line = JSON.parse(lines[row] ?? '') as { row: Record<string, unknown> };
      changeAt(line.row, place, odd);
      const fresh = (text: string): string =>
        text.replaceAll(/([a-z]+_[0-9a-f-]{28})[0-9a-f]{8}/g, (_, start: string) =>
          start.concat((mutant + 1).toString(16).padStart(8, '0')),
        );
      const text = fresh(lines.with(row, JSON.stringify(line)).join('\n').concat('\n'));
      const { status, body } = await importInto(other, text);
      if (status !== 200) {
        counts.refused += 1;
        expect([status, body['error']]).toMatchObject([400, { type: 'IMPORT_INVALID' }]);
        continue;
      }
      counts.read += 1;
      const { sessionId, turnId } = ids;
      for (const route of routesOf({ sessionId: fresh(sessionId), turnId: fresh(turnId) })) {
        const answer = await fetch(`${other.url}${route}`, { headers: other.headers });
        const found = answer.status < 500 ? '' : `${lines[row]} became ${JSON.stringify(line)}`;
        await answer.text();
        expect([route, found]).toEqual([route, '']);
      }
    }
    expect(Math.min(counts.refused, counts.read)).toBeGreaterThan(MUTANTS / 20);
  });

  it('say what is wrong before anything is exported', async () => {
    const nowhere = path.join(folder, 'none', 'a.jsonl');
    expect(await at(server, 'export', '--output', nowhere)).toEqual({
      code: 2,
      stdout: '',
      stderr: `${nowhere} cannot be written: ${path.dirname(nowhere)} does not exist.\n`,
    });
  });

  it('keep what came of an export that was cut off, and say what it is', async () => {
    const whole = path.join(folder, 'a.jsonl');
    const lines = (await readFile(whole, 'utf8')).trimEnd().split('\n');
    const cut = lines.slice(0, -1).join('\n');
    const short = await serveHttp((_request, response) => response.end(`${cut}\n`));
    const target = path.join(folder, 'cut.jsonl');
    const { code, stderr } = await run(short.url, {}, ['export', '--output', target]);
    await short.close();
    expect([code, stderr]).toEqual([
      1,
      `The export was cut off: its last line is missing.\n${target}.part has 1 whole session that came before; turnpike import ${target}.part stores them, and stops at the end.\n`,
    ]);
    expect(await readdir(folder)).not.toContain('cut.jsonl');
    const again = await at(other, 'import', `${target}.part`);
    expect([again.code, again.stderr]).toMatchObject([1, expect.stringContaining('was cut off')]);
  });
});

/** Changes one of the fields of a row, at any depth. @param odd undefined: it is removed. */
function changeAt(row: Record<string, unknown>, place: number, odd: unknown): void {
  const fields: [holder: Record<string, unknown>, name: string][] = [];
  const collect = (holder: Record<string, unknown>): void => {
    for (const [name, value] of Object.entries(holder)) {
      fields.push([holder, name]);
      if (typeof value === 'object' && value !== null) collect(value as Record<string, unknown>);
    }
  };
  collect(row);
  const [holder, name] = fields[place % fields.length] ?? [row, ''];
  if (odd === undefined) delete holder[name];
  else holder[name] = odd;
}
