import { describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { findOcrPackage, OcrMissingError, type Resolve } from './ocr-packages.js';
import { runJob } from './process/run-job.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../test/fixtures/files/${name}`, import.meta.url));

/** Resolution of a package that is not installed, as Node does it. */
const without =
  (...missing: string[]): Resolve =>
  (id) => {
    if (missing.some((name) => id.startsWith(`${name}/`))) throw new Error(`No module ${id}`);
    return `/packages/${id}`;
  };

const reason =
  'The file can only be read by OCR, which is not installed on this server: ' +
  '`npm install tesseract.js @tesseract.js-data/eng @napi-rs/canvas` there adds it. ' +
  'All else works without it';

describe('the packages of OCR', () => {
  it('are found where they are', () => {
    expect(findOcrPackage('tesseract.js', without())).toBe('/packages/tesseract.js');
  });

  it('are named, all of them, where one is not there', () => {
    const find = () => findOcrPackage('@napi-rs/canvas', without('@napi-rs/canvas'));
    expect(find).toThrow(OcrMissingError);
    expect(find).toThrow(/tesseract\.js @tesseract\.js-data\/eng @napi-rs\/canvas/);
  });

  const text = { kind: 'text', source: 'pdf', maxChars: 1_000, ocrMs: 10_000 } as const;

  it.each([
    ['scan.png', { kind: 'image-text', maxChars: 1_000, ocrMs: 10_000 } as const, 'tesseract.js'],
    ['scan.pdf', text, '@tesseract.js-data/eng'],
    ['scan.pdf', text, '@napi-rs/canvas'],
  ])(
    '%s is refused without them, for as long as they are not there',
    async (name, job, missing) => {
      const request = { job, file: fixture(name), made: '' };
      const find = (wanted: string): string => {
        if (wanted === missing) throw new OcrMissingError({});
        return wanted;
      };
      expect(await runJob(request, find)).toEqual({ type: 'refused', reason, isPassing: true });
    },
  );
});
