import { expect, it } from '@jest/globals';
import { officeFile, relations } from '../../../../test/support/files/office-file.js';
import { extractPptx } from './extract-pptx.js';

const slide = (text: string, attributes = ''): string =>
  `<p:sld xmlns:p="p" xmlns:a="a" ${attributes}><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;

it('extractPptx marks hidden slides, and reads comments of both kinds', async () => {
  const files = {
    'ppt/presentation.xml':
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldId r:id="r1"/><p:sldId r:id="r2"/></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations([
      ['r1', 'slide', 'slides/slide1.xml'],
      ['r2', 'slide', 'slides/slide2.xml'],
      ['r3', 'commentAuthors', 'commentAuthors.xml'],
      ['r4', 'http://schemas.microsoft.com/office/2018/10/relationships/authors', 'authors.xml'],
    ]),
    'ppt/slides/slide1.xml': slide('Shown', 'show="1"'),
    'ppt/slides/slide2.xml': slide('Kept back', 'show="0"'),
    'ppt/slides/_rels/slide1.xml.rels': relations([['r1', 'comments', '../comments/comment1.xml']]),
    'ppt/slides/_rels/slide2.xml.rels': relations([
      [
        'r1',
        'http://schemas.microsoft.com/office/2018/10/relationships/comments',
        '../comments/modernComment_1.xml',
      ],
    ]),
    'ppt/commentAuthors.xml':
      '<p:cmAuthorLst xmlns:p="p"><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
    'ppt/authors.xml': '<q:authorLst xmlns:q="q"><q:author id="{B}" name="Bob"/></q:authorLst>',
    'ppt/comments/comment1.xml':
      '<p:cmLst xmlns:p="p"><p:cm authorId="0"><p:text>too long</p:text></p:cm></p:cmLst>',
    'ppt/comments/modernComment_1.xml': `<q:cmLst xmlns:q="q" xmlns:a="a"><q:cm authorId="{B}"><q:txBody><a:p><a:r><a:t>drop it</a:t></a:r></a:p></q:txBody></q:cm></q:cmLst>`,
  };
  expect((await extractPptx(officeFile(files), { maxChars: 10_000 })).text).toBe(
    '# Slide 1\nShown\n[Comment by Ann: too long]\n\n# Slide 2 (hidden)\nKept back\n[Comment by Bob: drop it]',
  );
});
