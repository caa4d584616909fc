import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import Parser from 'stream-json/Parser.js';
import { buildDocument, type DocumentRules } from './receive-json.js';

const tooDeep = { type: 'INVALID_REQUEST', message: expect.stringContaining('too deeply') };
const rules: DocumentRules = { takeText: () => undefined, maxChars: 10_000 };

/** Builds a document from a text that comes in chunks of so many bytes. */
async function read(text: string, more: Partial<DocumentRules> = {}, size = 7): Promise<unknown> {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const tokens = Readable.from(chunks, { objectMode: false }).pipe(
    new Parser({ packValues: false }),
  );
  return buildDocument(tokens, { ...rules, ...more });
}

describe('buildDocument', () => {
  it('reads what JSON.parse reads, however it is cut', async () => {
    const sizes = fc.integer({ min: 1, max: 9 });
    await fc.assert(
      fc.asyncProperty(fc.json(), sizes, async (text, size) => {
        expect(await read(text, {}, size)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['[1, -2.5e3, 0.0, 12]', [1, -2_500, 0, 12]],
    ['{"a": [true, false, null, ""], "": {}}', { a: [true, false, null, ''], '': {} }],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ['"\\u00e9\\n\\ud83d\\ude00 é😀"', 'é\n😀 é😀'],
    ['  7  ', 7],
  ])('reads %s', async (text, expected) => {
    expect(await read(text, {}, 1)).toEqual(expected);
  });

  it('makes a key of __proto__', async () => {
    const document = await read('{"__proto__": {"a": 1}}');
    expect(Object.keys(document as object)).toEqual(['__proto__']);
    expect((document as { a?: unknown }).a).toBeUndefined();
  });

  it.each(['', ' ', '{', '[1', '{"a"}', '{"a":1,}', '[1,]', '"a', 'tru', '1 2', '{} x', "{'a':1}"])(
    'throws for %j',
    async (text) => {
      await expect(read(text)).rejects.toThrow(/^Parser /);
    },
  );

  it('gives a text to who takes it, and what that becomes is in its place', async () => {
    const paths: unknown[] = [];
    const takeText: DocumentRules['takeText'] = (path) => {
      paths.push(path);
      if (path.at(-1) !== 'content') return undefined;
      return async (texts) => {
        let length = 0;
        for await (const text of texts) length += text.length;
        return { length };
      };
    };
    const text = `{"files": [{"content": "${'x'.repeat(20_000)}", "name": "a"}], "content": ""}`;
    expect(await read(text, { takeText })).toEqual({
      files: [{ content: { length: 20_000 }, name: 'a' }],
      content: { length: 0 },
    });
    expect(paths).toEqual([['files', 0, 'content'], ['files', 0, 'name'], ['content']]);
  });

  it.each([
    ['a string', `"${'x'.repeat(20_000)}"`],
    ['a key', `{"${'x'.repeat(20_000)}": 1}`],
    ['a number', '1'.repeat(20_000)],
    ['an array', `[${'0,'.repeat(9_999)}0]`],
  ])('refuses %s that is too large', async (_name, text) => {
    await expect(read(text, {}, 1_000)).rejects.toMatchObject({ type: 'BODY_TOO_LARGE' });
  });

  it('refuses what is nested too deeply', async () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    await expect(read(nested(64))).resolves.toHaveLength(1);
    await expect(read(nested(65))).rejects.toMatchObject(tooDeep);
    await expect(read(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)).rejects.toMatchObject(tooDeep);
  });
});
