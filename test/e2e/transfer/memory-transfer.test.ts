import { describe, expect, it } from '@jest/globals';
import { newOtherStore } from '../../support/database/test-store.js';
import {
  exportOf,
  importInto,
  startKeyed,
  type Keyed,
} from '../../support/transfer/keyed-server.js';
import { useShared } from '../../support/suite.js';

const fileOf = (name: string): string =>
  `/api/harness/memory/KEEPER/file?path=${encodeURIComponent(`/memories/${name}`)}`;

describe('memories in exports', () => {
  const server = useShared(() => startKeyed());
  const store = useShared(newOtherStore);
  const other = useShared(() => startKeyed({ store }));

  const put = (at: Keyed, name: string, content: string) =>
    at.client.request('PUT', fileOf(name), {
      body: JSON.stringify({ content }),
      headers: { 'content-type': 'application/json', 'if-none-match': '*' },
    });
  const contentOf = async (at: Keyed, name: string): Promise<unknown> =>
    ((await at.client.get(fileOf(name))).body['file'] as { content?: string } | undefined)?.content;

  it('go into the other back end; what is there already stays', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `n${index}`);
    for (const name of names) await put(server, name, `content "${name}"\n`);
    await put(other, 'n3', 'theirs');
    await put(other, 'n4/below', 'theirs');
    const text = await exportOf(server, '?principal=local');
    expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      type: 'end',
      sessions: 0,
      memoryFiles: 25,
    });
    const counts = { importedMemoryFiles: 23, skippedMemoryFiles: 2 };
    expect((await importInto(other, text)).body).toMatchObject({ imported: 0, ...counts });
    expect(await contentOf(other, 'n3')).toBe('theirs');
    expect(await contentOf(other, 'n4')).toBeUndefined();
    expect(await contentOf(other, 'n24')).toBe('content "n24"\n');
    const again = { importedMemoryFiles: 0, skippedMemoryFiles: 25 };
    expect((await importInto(other, text)).body).toMatchObject(again);
    const adopted = await importInto(other, text, '?principal=ada');
    expect(adopted.body).toMatchObject({ importedMemoryFiles: 25 });
    expect(await exportOf(server, '?principal=nobody')).not.toContain('memoryFile');
  });

  it('obey the quota, whose line is named', async () => {
    const longest = 'x'.repeat(1_048_577);
    const [header = '', ...lines] = (await exportOf(server)).trimEnd().split('\n');
    const large = lines.map((line) =>
      line
        .replace('"path":"/memories/n0"', '"path":"/memories/large"')
        .replace('content \\"n0\\"', longest),
    );
    const { status, body } = await importInto(other, [header, ...large, ''].join('\n'));
    expect([status, body['error']]).toMatchObject([
      400,
      {
        type: 'IMPORT_INVALID',
        message: expect.stringMatching(
          /^Line 2 \(memoryFile\) has no room in its memory: the file/,
        ),
      },
    ]);
    expect(await contentOf(other, 'large')).toBeUndefined();
  });

  it.each([
    ['path', '"/memories/n1"', '"/memories/../n1"', "'row.path' must be the path of a file"],
    ['count', '"memoryFiles":25', '"memoryFiles":26', '26 files of memories'],
  ])('are refused with a wrong %s', async (_what, right, wrong, message) => {
    const text = (await exportOf(server)).replace(right, wrong);
    const { status, body } = await importInto(other, text);
    expect([status, body]).toMatchObject([400, { error: { type: 'IMPORT_INVALID' } }]);
    expect(JSON.stringify(body)).toContain(message);
  });
});
