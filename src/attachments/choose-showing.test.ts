import { describe, expect, it } from '@jest/globals';
import { chooseShowing, maxNativePages, type ShowingFacts } from './choose-showing.js';
import { mimeOfPath } from './check/classify.js';

const facts: ShowingFacts = {
  wanted: 'native',
  seesImages: true,
  readsPdfs: true,
  pages: 3,
  bytesLeft: 1_000,
};

const choose = (name: string, other: Partial<ShowingFacts> = {}, size = 1_000) =>
  chooseShowing(
    { name, mimeType: mimeOfPath(name) ?? 'application/zip', size, sha256: '' },
    { ...facts, ...other },
  );

describe('chooseShowing', () => {
  it.each([
    ['a.png', { as: 'image' }],
    ['a.pdf', { as: 'pdf' }],
    ['a.txt', { as: 'document' }],
    ['a.csv', { as: 'document' }],
    ['a.html', { as: 'text', source: 'html' }],
    ['a.docx', { as: 'text', source: 'docx' }],
    ['a.xlsx', { as: 'text', source: 'xlsx' }],
    ['a.pptx', { as: 'text', source: 'pptx' }],
    ['a.zip', { as: 'nothing' }],
  ])('shows %s as %j', (name, expected) => {
    expect(choose(name)).toMatchObject(expected);
  });

  it.each<[string, string, Partial<ShowingFacts>, string]>([
    ['a.png', 'image-text', { wanted: 'text' }, 'the agent asks for text'],
    ['a.png', 'image-text', { seesImages: false }, 'the model sees no images'],
    ['a.png', 'image-text', { bytesLeft: 999 }, 'the conversation has too many files'],
    ['a.pdf', 'text', { wanted: 'text' }, 'the agent asks for text'],
    ['a.pdf', 'text', { readsPdfs: false }, 'the model reads no PDF files'],
    ['a.pdf', 'text', { pages: 101 }, 'it has 101 pages, and the model takes 100'],
    [
      'a.pdf',
      'text',
      { bytesLeft: 999 },
      'it is too large to be sent beside the other files of the conversation',
    ],
    ['a.pdf', 'text', { pagesLeft: 2 }, 'the conversation has too many images and pages'],
  ])('shows %s as %s where %j', (name, as, other, why) => {
    expect(choose(name, other)).toMatchObject({ as, why });
  });

  it('takes a PDF of as many pages as the model does, and one that was not counted', () => {
    expect(choose('a.pdf', { pages: maxNativePages })).toEqual({ as: 'pdf', pages: 100 });
    expect(choose('a.pdf', { pages: undefined })).toEqual({ as: 'pdf', pages: 1 });
  });
});
