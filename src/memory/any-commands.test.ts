import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { useDatabase } from '../../test/support/database/database.js';
import { MemoryScene } from '../../test/support/turn/memory-scene.js';
import { newId } from '../platform/ids.js';
import type { JsonObject } from '../platform/json.js';

const database = useDatabase();

type Files = Map<string, string>;

const below = (files: Files, folder: string): string[] =>
  [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
const isThere = (files: Files, path: string): boolean =>
  files.has(path) || below(files, path).length > 0;
/** Whether a file could be made at a path: nothing is there, and no part of the way is a file. */
const isFree = (files: Files, path: string): boolean =>
  !isThere(files, path) && ![...files.keys()].some((file) => path.startsWith(`${file}/`));

/** The commands on a Map. @returns the files after it; undefined: it is refused. */
function play(files: Files, input: Record<string, string | number>): Files | undefined {
  const {
    command,
    path = '',
    old_path: from = '',
    new_path: to = '',
  } = input as Record<string, string>;
  const content = files.get(path);
  const set = (text: string): Files => new Map([...files, [path, text]]);
  switch (String(command)) {
    case 'view':
      return path === '/memories' || isThere(files, path) ? files : undefined;
    case 'create':
      return isFree(files, path) ? set(String(input['file_text'])) : undefined;
    case 'str_replace': {
      const pieces = content?.split(String(input['old_str'])) ?? [];
      return pieces.length === 2 ? set(pieces.join(String(input['new_str']))) : undefined;
    }
    case 'insert': {
      const lines = content?.split('\n') ?? [];
      const at = Number(input['insert_line']);
      if (content === undefined || at > lines.length) return undefined;
      return set(
        [...lines.slice(0, at), String(input['insert_text']), ...lines.slice(at)].join('\n'),
      );
    }
    case 'delete': {
      const gone = new Set([path, ...below(files, path)]);
      const left = [...files].filter(([one]) => !gone.has(one));
      return left.length === files.size ? undefined : new Map(left);
    }
    default: {
      const moved = [...(files.has(from) ? [from] : []), ...below(files, from)];
      if (moved.length === 0 || !isFree(files, to) || to.startsWith(`${from}/`)) return undefined;
      return new Map(
        [...files].map(([one, text]) => [
          moved.includes(one) ? to + one.slice(from.length) : one,
          text,
        ]),
      );
    }
  }
}

const path = fc
  .array(fc.constantFrom('a', 'b', 'c.md'), { minLength: 1, maxLength: 3 })
  .map((names) => `/memories/${names.join('/')}`);
const text = fc.constantFrom('x', 'y', 'x y', 'one\ntwo', '', 'z$&');
const filled = text.filter((one) => one !== '');
const input = fc.oneof(
  fc.record({ command: fc.constant('view'), path }),
  fc.record({ command: fc.constant('create'), path, file_text: text }),
  fc.record({ command: fc.constant('create'), path, file_text: text }),
  fc.record({ command: fc.constant('str_replace'), path, old_str: filled, new_str: text }),
  fc.record({
    command: fc.constant('insert'),
    path,
    insert_line: fc.nat({ max: 3 }),
    insert_text: text,
  }),
  fc.record({ command: fc.constant('delete'), path }),
  fc.record({ command: fc.constant('rename'), old_path: path, new_path: path }),
);

it('does what a Map would do, whatever commands a turn gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(input, { minLength: 1, maxLength: 12 }), async (inputs) => {
      const scene = new MemoryScene(database.db, newId('p').slice(0, 30));
      const turn = await scene.openTurn();
      let files: Files = new Map();
      for (const one of inputs as JsonObject[]) {
        const { status } = await turn.run(one);
        const next = play(files, one as Record<string, string | number>);
        expect([one, status]).toEqual([one, next === undefined ? 'error' : 'success']);
        files = next ?? files;
        expect(await scene.files()).toEqual(files);
      }
    }),
    { numRuns: process.env['TEST_RELEASE'] === undefined ? 60 : 1_000 },
  );
});
