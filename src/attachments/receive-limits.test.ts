import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { decodeBase64 } from './receive-limits.js';

const refusal = new Error('not base64');

async function decode(texts: string[]): Promise<Buffer> {
  const decoded: Buffer[] = [];
  for await (const bytes of decodeBase64(texts, () => refusal)) decoded.push(bytes);
  return Buffer.concat(decoded);
}

describe('decodeBase64', () => {
  it('decodes what comes in pieces of any size', async () => {
    const cuts = fc.array(fc.nat(40), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), cuts, async (bytes, at) => {
        const text = Buffer.from(bytes).toString('base64');
        const edges = [0, ...at.sort((a, b) => a - b), text.length];
        const texts = edges.map((edge, index) => text.slice(edge, edges[index + 1] ?? edge));
        expect((await decode(texts)).equals(bytes)).toBe(true);
      }),
    );
  });

  it('decodes more than it does at once', async () => {
    const bytes = Buffer.alloc(300_001, 'abc');
    const text = bytes.toString('base64');
    expect((await decode([text])).equals(bytes)).toBe(true);
    expect((await decode(text.match(/.{1,50001}/g) ?? [])).equals(bytes)).toBe(true);
  });

  it.each([
    ['white space', 'QUJD\nQUJD'],
    ['white space at the end', 'QUJD\n'],
    ['no padding', 'QUI'],
    ['too much padding', 'QUJD===='],
    ['padding alone', '===='],
    ['three of padding', 'Q==='],
    ['padding in the middle', 'QQ==QUJD'],
    ['the alphabet of URLs', 'QU-_'],
    ['what is not ASCII', 'QUJé'],
    ['the head of a data URL', 'data:text/plain;base64,QUJD'],
    ['padding in the middle of a long text', `${'QUJD'.repeat(10)}QQ==${'QUJD'.repeat(20_000)}`],
    ['white space in a long text', `${'QUJD'.repeat(20_000)} ${'QUJD'.repeat(20_000)}`],
  ])('refuses %s', async (_name, text) => {
    await expect(decode([text])).rejects.toBe(refusal);
  });

  it('takes no text for no bytes', async () => {
    expect(await decode([])).toHaveLength(0);
    expect(await decode([''])).toHaveLength(0);
  });
});
