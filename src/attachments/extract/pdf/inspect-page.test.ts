import { describe, expect, it } from '@jest/globals';
import { needsOcr, type PageFacts } from './inspect-page.js';

const blank: PageFacts = { text: '', notes: [], letters: 0, imageShare: 0, paths: 0, glyphs: 0 };

describe('needsOcr', () => {
  it.each<[string, Partial<PageFacts>, boolean]>([
    ['a blank page', {}, false],
    ['a blank page with a white background and a frame', { paths: 3 }, false],
    ['a scan', { imageShare: 0.9 }, true],
    ['a scan with a stamp', { letters: 30, glyphs: 2, imageShare: 1 }, true],
    ['a scan with a text layer', { letters: 1_500, glyphs: 90, imageShare: 1 }, false],
    ['a page that has a number and a drawing', { letters: 2, glyphs: 1, imageShare: 0.2 }, true],
    ['a page that has a number only', { letters: 2, glyphs: 1 }, false],
    ['a title page', { letters: 12, glyphs: 1 }, false],
    ['a page of text with a logo', { letters: 90, glyphs: 9, imageShare: 0.1 }, false],
    ['letters as outlines', { paths: 900 }, true],
    ['glyphs that mean nothing', { glyphs: 40 }, true],
  ])('of %s', (_what, look, expected) => {
    expect(needsOcr({ ...blank, ...look })).toBe(expected);
  });
});
