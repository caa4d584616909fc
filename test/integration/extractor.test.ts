import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import iconv from 'iconv-lite';
import sharp from 'sharp';
import { expectSoon } from '../support/expect-soon.js';
import { ManualClock } from '../support/manual-clock.js';
import { testPdf } from '../support/files/test-pdf.js';
import { testZip } from '../support/files/test-zip.js';
import { Extractor } from '../../src/attachments/extract/extractor.js';
import type { TextSource } from '../../src/attachments/extract/extraction-types.js';

const fixture = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../fixtures/files/${name}`, import.meta.url)));

// Longer than a person waits: the machine may be busy.
const timeoutMs = 100_000;
let extractor: Extractor;
/** One that keeps ten characters. */
let brief: Extractor;
const refusals: { reason: string; fault?: string }[] = [];
beforeAll(() => {
  extractor = new Extractor({ timeoutMs });
  brief = new Extractor({ timeoutMs, maxChars: 10, onRefused: (why) => refusals.push(why) });
});
afterAll(async () => {
  await Promise.all([extractor.close(), brief.close()]);
});

describe('extractText', () => {
  it.each<[string, TextSource, string[]]>([
    ['report.docx', 'docx', ['Harbour report', ' * Salt from Brittany', 'Marie-Thérèse']],
    ['report.pdf', 'pdf', ['--- page 1 of 2 ---', 'forty-two ships', '--- page 2 of 2 ---']],
    ['ledger.xlsx', 'xlsx', ['# ', 'Marie-Thérèse']],
    [
      'talk.pptx',
      'pptx',
      ['# Slide 1\nThe harbour', 'Notes:\nSay thanks to the keeper.', '# Slide 2\nThe storm'],
    ],
    ['ledger-windows-1252.csv', 'csv', ['Marie-Thérèse']],
    ['ledger-utf-16.csv', 'csv', ['Marie-Thérèse']],
    ['page-windows-1252.html', 'html', ['Crêpes – the recipe', '3 €']],
  ])('reads %s', async (name, source, expected) => {
    const outcome = await extractor.extractText(await fixture(name), source);
    expect(outcome).toMatchObject({ type: 'text', via: 'text', isCut: false });
    const text = outcome.type === 'text' ? outcome.text : '';
    for (const words of expected) expect(text).toContain(words);
    expect(text).not.toMatch(/�|(?![\n\t])\p{Cc}/u);
  });

  it('reads the fields of a form and the comments of a PDF', async () => {
    const field = (kind: string, name: string, more: string): string =>
      `/Subtype /Widget /FT /${kind} /T (${name}) ${more}`;
    const content = testPdf({
      pages: 1,
      annotations: [
        field('Tx', 'surname', '/V (Smith)'),
        field('Tx', 'remark', ''),
        field('Btn', 'agree', '/V /Yes /AS /Yes'),
        field('Btn', 'advertise', '/V /Off /AS /Off'),
        field('Ch', 'country', '/V (fr) /Opt [[(de) (Germany)] [(fr) (France)]]'),
        field('Sig', 'signed', ''),
        '/Subtype /Text /T (Ann) /Contents (too low)',
        '/Subtype /Link /Contents (a link)',
      ],
    });
    expect(await extractor.extractText(content, 'pdf')).toMatchObject({
      text: [
        'This is page 1',
        '[Comment by Ann: too low]',
        '[Form field "surname": Smith]',
        '[Form field "remark": empty]',
        '[Check box "agree": checked]',
        '[Check box "advertise": not checked]',
        '[Choice "country": France]',
        '[Signature field "signed", not read]',
      ].join('\n'),
    });
  });

  it.each<[string, string, string]>([
    ['XML', '<?xml version="1.0" encoding="ISO-8859-2"?><a>Łódź</a>', 'iso-8859-2'],
    [
      'a source of Python',
      '#!/usr/bin/python\n# -*- coding: cp1251 -*-\nx = "Привет"',
      'windows-1251',
    ],
    ['CSS', '@charset "Shift_JIS"; a::before { content: "東京" }', 'shift_jis'],
  ])('reads %s in the encoding that it declares', async (_what, text, encoding) => {
    const outcome = await extractor.extractText(iconv.encode(text, encoding), 'text');
    expect(outcome).toEqual({ type: 'text', text, isCut: false, via: 'text' });
  });

  it.each<[string, string]>([
    ['Ærø og Læsø\nblå øl', 'windows-1252'],
    ['Привет, мир', 'windows-1251'],
    ['東京タワー', 'shift_jis'],
    ['שלום', 'windows-1255'],
  ])('says that the encoding of %s is a guess', async (text, encoding) => {
    const outcome = await extractor.extractText(iconv.encode(text, encoding), 'text');
    expect(outcome).toMatchObject({ doubt: expect.stringContaining('is a guess') });
  });

  it('reads the picture of a page where a PDF has nothing else', async () => {
    expect(await extractor.extractText(await fixture('scan.pdf'), 'pdf')).toMatchObject({
      type: 'text',
      via: 'ocr',
      pages: 1,
      text: expect.stringContaining('lighthouse keeper counted forty-two ships'),
    });
  });

  it('reads text of any kind, and takes out what no database holds', async () => {
    const text = Buffer.from('a\u0000b\u0007\r\nc');
    expect(await extractor.extractText(text, 'text')).toMatchObject({ text: 'ab\nc' });
    const wide = Buffer.from('Grüße, 42 ships', 'utf16le');
    expect(await extractor.extractText(wide, 'text')).toMatchObject({ text: 'Grüße, 42 ships' });
    expect(await extractor.extractText(wide.swap16(), 'csv')).toMatchObject({
      text: 'Grüße, 42 ships',
    });
    const empty = await extractor.extractText(Buffer.alloc(0), 'text');
    expect(empty).toEqual({ type: 'text', text: '', isCut: false, via: 'text' });
  });

  it('cuts what is too long, at a whole character', async () => {
    const outcome = await brief.extractText(Buffer.from('123456789😀 and more'), 'text');
    expect(outcome).toEqual({ type: 'text', text: '123456789', isCut: true, via: 'text' });
  });
});

describe('extractImageText and countPages', () => {
  it('reads a scanned page', async () => {
    expect(await extractor.extractImageText(await fixture('scan.png'))).toMatchObject({
      via: 'ocr',
      text: expect.stringContaining('Harbour report'),
    });
  });

  it('counts pages', async () => {
    const isLocked = false;
    expect(await extractor.countPages(await fixture('report.pdf'))).toEqual({
      type: 'pdf',
      pages: 2,
      isLocked,
    });
    expect(await extractor.countPages(testPdf({ pages: 2_000 }))).toEqual({
      type: 'pdf',
      pages: 2_000,
      isLocked,
    });
  });
});

describe('fitImage', () => {
  const limits = { maxBytes: 200_000, maxSide: 1_000 };
  const fit = (content: Buffer) => extractor.fitImage(content, limits);

  it('leaves what fits as it is', async () => {
    const small = await sharp(await fixture('scan.png'))
      .resize(300)
      .png()
      .toBuffer();
    expect(await fit(small)).toMatchObject({ type: 'fits', width: 300 });
  });

  it('refuses half an image, and what is none for a model', async () => {
    const whole = await sharp(await fixture('scan.png'))
      .resize(300)
      .png()
      .toBuffer();
    expect(await fit(whole.subarray(0, whole.length / 2))).toEqual({
      type: 'refused',
      reason: 'The file is a damaged image',
    });
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    expect(await fit(svg)).toMatchObject({ type: 'refused' });
  });

  it('turns upright what a camera stored on its side', async () => {
    const outcome = await fit(await fixture('photo-orientation-6.jpg'));
    expect(outcome).toMatchObject({
      type: 'changed',
      mimeType: 'image/jpeg',
      width: 300,
      height: 400,
      why: 'turned upright',
    });
    const made = outcome.type === 'changed' ? await sharp(outcome.content).metadata() : undefined;
    expect([made?.width, made?.height, made?.orientation]).toEqual([300, 400, undefined]);
  });

  it('scales down until bytes and pixels fit', async () => {
    const raw = { width: 1_100, height: 300, channels: 3 } as const;
    const noise = Buffer.from(Array.from({ length: 1_100 * 300 * 3 }, (_, i) => (i * 7_919) % 251));
    const large = await sharp(noise, { raw }).png().toBuffer();
    const outcome = await fit(large);
    if (outcome.type !== 'changed') throw new Error(`It is ${outcome.type}`);
    expect(outcome.content.length).toBeLessThanOrEqual(limits.maxBytes);
    expect(outcome.width).toBeLessThanOrEqual(limits.maxSide);
    expect(outcome.why).toMatch(/^scaled down from 1100 to \d+ pixels of its longer side$/);
  });

  it.each([
    ['small', 100],
    ['too wide', 1_200],
  ])('shows the first picture of an animation: %s', async (_name, width) => {
    const [red, blue] = await Promise.all(
      ['red', 'blue'].map((background) =>
        sharp({ create: { width, height: 40, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const frames = [red ?? Buffer.alloc(0), blue ?? Buffer.alloc(0)];
    const animated = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [10, 10] })
      .toBuffer();
    expect(await fit(animated)).toMatchObject({
      mimeType: 'image/png',
      why: expect.stringContaining('only its first picture is shown'),
    });
  });
});

describe('a file that is not what it should be', () => {
  /** A PNG whose header claims 50,000 pixels each way. */
  function hugePng(): Buffer {
    const chunk = (type: string, data: Buffer): Buffer => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length);
      return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
    };
    const head = Buffer.alloc(13);
    head.writeUInt32BE(50_000, 0);
    head.writeUInt32BE(50_000, 4);
    head.set([8, 2, 0, 0, 0], 8);
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const data = deflateSync(Buffer.alloc(100));
    return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data)]);
  }

  /** The smallest archive that unpacks to too much: making it takes longer than reading it. */
  const bomb = testZip([['ppt/slides/slide1.xml', Buffer.alloc(209_715_201)]]);
  const deep = () => testZip([['ppt/presentation.xml', Buffer.from('<a>'.repeat(5_000))]]);

  it.each<[string, TextSource, () => Buffer | Promise<Buffer>, string]>([
    [
      'an archive that unpacks to 200 MiB and a byte',
      'pptx',
      () => bomb,
      'unpacks to more than 209715200 bytes',
    ],
    ['an archive that is one for docx', 'docx', () => bomb, 'unpacks to more than'],
    ['elements in elements', 'pptx', deep, 'its elements are nested too deeply'],
    [
      'an archive whose parts are too many',
      'xlsx',
      () => testZip(Array.from({ length: 2_001 }, (_, i) => [`${i}`, Buffer.alloc(0)] as const)),
      'has 2001 parts; at most 2000 are read',
    ],
    ['no archive', 'xlsx', () => Buffer.from('PK no'), 'it is not a complete zip archive'],
    [
      'an empty archive',
      'docx',
      () => testZip([]),
      'The file cannot be read: it is damaged, or made in a way that is not known here',
    ],
    ['a workbook without sheets', 'xlsx', () => testZip([]), 'it has no sheets'],
    [
      'a part that is no XML',
      'xlsx',
      () => testZip([['xl/workbook.xml', Buffer.from('<a><b></a>')]]),
      'The file is damaged: one of its parts is not complete XML',
    ],
    ['an empty file', 'pdf', () => Buffer.alloc(0), 'is no whole PDF'],
    ['zeros', 'pdf', () => Buffer.alloc(1_000), 'is no whole PDF'],
    [
      'a PDF with a broken table',
      'pdf',
      () => Buffer.from('%PDF-1.4\nxref\n0 9999\ngarbage\ntrailer << /Root 1 0 R >>\n%%EOF'),
      'is no whole PDF',
    ],
  ])('%s is refused with a reason', async (_what, source, make, reason) => {
    const outcome = await extractor.extractText(await make(), source);
    expect(outcome).toEqual({ type: 'refused', reason: expect.stringContaining(reason) });
  });

  it('leaves what a parser says of it to the log', async () => {
    const outcome = await brief.extractText(testZip([]), 'docx');
    expect(JSON.stringify(outcome)).not.toMatch(/Error|undefined|docx/i);
    expect(refusals).toEqual([
      { reason: expect.any(String), fault: expect.stringMatching(/Error: ./) },
    ]);
  });

  it('an image of a size nobody needs is refused before it is decoded', async () => {
    const outcome = await extractor.fitImage(hugePng(), {
      maxBytes: 5_000_000,
      maxSide: 8_000,
    });
    expect(outcome).toEqual({
      type: 'refused',
      reason: 'The file has 2500000000 pixels; at most 100000000 are read',
    });
    expect(await extractor.extractImageText(Buffer.from('no image'))).toEqual({
      type: 'refused',
      reason: 'The file is no image that can be read',
    });
  });

  it('a PDF of 1,001 pages is read as far as its text is shown', async () => {
    const outcome = await extractor.extractText(testPdf({ pages: 1_001 }), 'pdf');
    expect(outcome).toMatchObject({ type: 'text', pages: 1_001, isCut: true });
    expect(outcome.type === 'text' && outcome.text).toMatch(/This is page 1000$/);
  });

  it('that takes too long is given up, and the next one is read', async () => {
    const clock = new ManualClock();
    const hasty = new Extractor({ timeoutMs: 5_000, concurrency: 1, clock });
    // On this thread it would keep all else from running, for minutes.
    const slow = hasty.extractText(Buffer.from('<div>'.repeat(300_000)), 'html');
    const next = hasty.extractText(Buffer.from('still here'), 'text');
    // Those of the time limit and of the look at its memory: the process has begun.
    await expectSoon(() => expect(clock.pending).toBeGreaterThan(1));
    await clock.advance(5_000);
    expect(await slow).toEqual({
      type: 'refused',
      reason: 'The file cannot be read: it took longer than 5 s to read',
    });
    expect(await next).toMatchObject({ type: 'text', text: 'still here' });
    await hasty.close();
  });

  it('that takes too much memory is given up, and the next one is read', async () => {
    const small = new Extractor({ timeoutMs, memoryMb: 100, concurrency: 1 });
    const large = await small.extractText(Buffer.from('<p>word</p>'.repeat(900_000)), 'html');
    expect(large).toEqual({
      type: 'refused',
      reason: 'The file cannot be read: it needs more than 100 MiB to be read',
    });
    const next = await small.extractText(Buffer.from('still here'), 'text');
    expect(next).toMatchObject({ type: 'text', text: 'still here' });
    await small.close();
  });
});

it('gives up what it was asked at its end, and says nothing of those files', async () => {
  const closing = new Extractor({ concurrency: 1 });
  await closing.extractText(Buffer.from('a'), 'text');
  const asked = [
    closing.extractText(testPdf({ pages: 1_000 }), 'pdf'),
    closing.extractText(Buffer.from('b'), 'text'),
  ];
  const given = Promise.allSettled(asked);
  await closing.close();
  expect((await given).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(closing.countPages(Buffer.alloc(1))).rejects.toThrow('closed');
});
