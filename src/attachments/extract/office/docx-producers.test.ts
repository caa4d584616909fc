import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import {
  contentTypes,
  mainRelation,
  ns,
  officeFile,
  relations,
  type MadeRelation,
  type OfficeFileOptions,
  type OfficeParts,
} from '../../../../test/support/files/office-file.js';
import { extractDocx } from './extract-docx.js';

// The same document as many programs write it: a heading, a tracked change, notes, a comment, margins, a picture.

const declared = `xmlns:w="${ns.w}" xmlns:r="${ns.r}"`;
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, style = ''): string =>
  `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}${content}</w:p>`;
const picture = (id: string, described = 'Map'): string =>
  `<w:r><w:drawing xmlns:wp="${ns.wp}" xmlns:a="${ns.a}" xmlns:pic="${ns.pic}"><wp:inline><wp:docPr id="1" name="p" descr="${described}"/><a:graphic><a:graphicData uri="${ns.pic}"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="i"/></pic:nvPicPr><pic:blipFill><a:blip r:embed="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;

const pages =
  '<w:sectPr><w:headerReference w:type="default" r:id="h1"/><w:headerReference w:type="first" r:id="h2"/><w:footerReference w:type="default" r:id="f1"/></w:sectPr>';
const body = [
  paragraph(run('Report'), 'Kop1'),
  paragraph(
    `${run('Cap ')}<w:del w:id="1" w:author="Bob"><w:r><w:delText>100,000</w:delText></w:r></w:del><w:ins w:id="2" w:author="Ann">${run('500,000')}</w:ins><w:r><w:footnoteReference w:id="2"/></w:r>`,
  ),
  paragraph(
    `<w:hyperlink r:id="l1">${run('The tides')}</w:hyperlink><w:r><w:endnoteReference w:id="1"/></w:r><w:r><w:commentReference w:id="0"/></w:r>`,
  ),
  paragraph(run('Salt'), 'ListBullet'),
  paragraph(picture('i1')),
].join('');

const documentOf = (content = body, end = pages): string =>
  `<w:document ${declared}><w:body>${content}${end}</w:body></w:document>`;
const notes = (kind: 'footnote' | 'endnote', id: string, text: string): string =>
  `<w:${kind}s ${declared}><w:${kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:${kind}><w:${kind} w:id="${id}">${paragraph(`<w:r><w:${kind}Ref/></w:r>${run(text)}`)}</w:${kind}></w:${kind}s>`;
const style = (id: string, name: string, more = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
const margin = (kind: 'hdr' | 'ftr', text: string): string =>
  `<w:${kind} ${declared}>${paragraph(run(text))}</w:${kind}>`;

const related: readonly MadeRelation[] = [
  ['s', 'styles', 'styles.xml'],
  ['n', 'numbering', 'numbering.xml'],
  ['fn', 'footnotes', 'footnotes.xml'],
  ['en', 'endnotes', 'endnotes.xml'],
  ['c', 'comments', 'comments.xml'],
  ['f1', 'footer', 'footer1.xml'],
  ['h2', 'header', 'header2.xml'],
  ['h1', 'header', 'header1.xml'],
  ['i1', 'image', 'media/image1.png'],
  ['l1', 'hyperlink', 'https://example.com/tides', 'External'],
];

const word: OfficeParts = {
  '[Content_Types].xml': contentTypes({ 'word/document.xml': 'wordprocessingml.document.main' }),
  '_rels/.rels': mainRelation('word/document.xml'),
  'word/document.xml': documentOf(),
  'word/_rels/document.xml.rels': relations(related),
  'word/styles.xml': `<w:styles ${declared}>${style('Kop1', 'heading 1')}${style('ListBullet', 'List Bullet', '<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>')}</w:styles>`,
  'word/numbering.xml': `<w:numbering ${declared}><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:pStyle w:val="ListBullet"/></w:lvl></w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
  'word/footnotes.xml': notes('footnote', '2', 'Foot of the page.'),
  'word/endnotes.xml': notes('endnote', '1', 'End of the text.'),
  'word/comments.xml': `<w:comments ${declared}><w:comment w:id="0" w:author="Ann" w:initials="A">${paragraph(run('too low'))}</w:comment></w:comments>`,
  'word/header1.xml': margin('hdr', 'Harbour office'),
  'word/header2.xml': margin('hdr', 'Secret'),
  'word/footer1.xml': margin('ftr', 'Page'),
  'word/media/image1.png': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
};

const whole = [
  '[Header: Harbour office]',
  '[Header: Secret]',
  '# Report',
  'Cap [deleted by Bob: 100,000][inserted by Ann: 500,000][1]',
  'The tides[2][A1]',
  '* Salt',
  '[picture, not read: Map]',
  '1. Foot of the page. ↑',
  '2. End of the text. ↑',
  'Comment [A1]',
  'too low ↑',
  '[Footer: Page]',
];

/** With other parts; undefined takes one away. */
const but = (changes: Record<string, string | Buffer | undefined>): OfficeParts =>
  Object.fromEntries(
    Object.entries({ ...word, ...changes }).flatMap(([name, content]) =>
      content === undefined ? [] : [[name, content]],
    ),
  );

const rewrite = (parts: OfficeParts, change: (text: string) => string): OfficeParts =>
  Object.fromEntries(
    Object.entries(parts).map(([name, content]) => [
      name,
      typeof content === 'string' ? change(content) : content,
    ]),
  );

const strict = (text: string): string =>
  text
    .replaceAll(
      'http://schemas.openxmlformats.org/officeDocument/2006/',
      'http://purl.oclc.org/ooxml/officeDocument/',
    )
    .replaceAll(
      /http:\/\/schemas\.openxmlformats\.org\/(wordprocessingml|drawingml)\/2006\//g,
      'http://purl.oclc.org/ooxml/$1/',
    );

/** Parts moved to a folder, with the relations of the main part from there. */
const moved = (folder: string, main: string, targetOf: (name: string) => string): OfficeParts =>
  Object.fromEntries(
    Object.entries(word).map(([name, content]) => {
      if (name === '_rels/.rels') return [name, mainRelation(`${folder}${main}`)];
      if (name === 'word/document.xml') return [`${folder}${main}`, content];
      if (name !== 'word/_rels/document.xml.rels') return [name, content];
      const there = related.map(([id, type, target, mode]): MadeRelation => {
        return mode === undefined ? [id, type, targetOf(target)] : [id, type, target, mode];
      });
      return [`${folder}_rels/${main}.rels`, relations(there)];
    }),
  );

/** The lines of a text without the blanks around them. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const utf16 = (text: string): Buffer =>
  Buffer.from(`\uFEFF${text.replace('encoding="UTF-8"', 'encoding="UTF-16"')}`, 'utf16le').swap16();

it.each<[string, OfficeParts, OfficeFileOptions?]>([
  ['Word', word],
  ['Word, in the strict form', rewrite(word, strict)],
  [
    'Word of the web, whose main part is document2.xml',
    moved('word/', 'document2.xml', (name) => name),
  ],
  [
    'a converter of a main part in a folder of its own',
    moved('doc/', 'main.xml', (name) => `../word/${name}`),
  ],
  [
    'Aspose.Words, with absolute targets',
    moved('word/', 'document.xml', (name) => `/word/${name}`),
  ],
  [
    'python-docx, whose main part is at the root',
    moved('', 'document.xml', (name) => `word/${name}`),
  ],
  ['docx4j, which writes to a stream', word, { hasDescriptors: true }],
  ['Google Docs, with a byte order mark', word, { encode: (text) => Buffer.from(`\uFEFF${text}`) }],
  ['programs of Windows, with backslashes', word, { rename: (name) => name.replaceAll('/', '\\') }],
  ['programs that write names in upper case', word, { rename: (name) => name.toUpperCase() }],
  [
    'Pages, with another prefix',
    rewrite(word, (text) =>
      text.replaceAll(/(<\/?| )w:/g, '$1ns0:').replaceAll('xmlns:w=', 'xmlns:ns0='),
    ),
  ],
  [
    'WPS, with the elements in the default namespace',
    rewrite(word, (text) =>
      text
        .replaceAll(/<(\/?)w:/g, '<$1')
        .replaceAll(`xmlns:w="${ns.w}"`, `xmlns="${ns.w}" xmlns:w="${ns.w}"`),
    ),
  ],
  ['programs that write UTF-16', word, { encode: utf16 }],
  [
    'programs that name parts by content types alone',
    {
      ...rewrite(word, (text) =>
        text.replaceAll(
          /<Relationship [^>]*(?:styles|numbering|footnotes|endnotes|comments)\.xml"\/>/g,
          '',
        ),
      ),
      '_rels/.rels': relations([]),
      '[Content_Types].xml': contentTypes({
        'word/document.xml': 'wordprocessingml.document.main',
        ...Object.fromEntries(
          ['styles', 'numbering', 'footnotes', 'endnotes', 'comments'].map((name) => [
            `WORD/${name}.xml`,
            `wordprocessingml.${name}`,
          ]),
        ),
      }),
    },
  ],
])('a document of %s is read', async (_producer, parts, options = {}) => {
  expect(linesOf((await extractDocx(officeFile(parts, options))).text)).toEqual(whole);
});

it('a document of LibreOffice is read', async () => {
  const file = new URL('../../../../test/fixtures/files/minutes.docx', import.meta.url);
  expect(linesOf((await extractDocx(await readFile(file))).text)).toEqual([
    '[Header: Harbour office]',
    '# Minutes',
    'Cap [deleted by Bob: 100,000][inserted by Ann: 500,000] a year.[1]',
    'See the tides.[2]',
    'Agreed[1] by all.',
    '東京の港',
    'After the box',
    'In a box',
    '1. Foot of the page. ↑',
    '2. End of the text. ↑',
    'Comment [1]',
    'too low ↑',
    '[Footer: Not for the public]',
  ]);
});

it.each<[string, string[], [string, string][]]>([
  [
    'the styles',
    ['styles.xml'],
    [
      ['[Header: H', '[styles of headings, missing from the file]\n[Header: H'],
      ['# Report', 'Report'],
    ],
  ],
  [
    'the numbering',
    ['numbering.xml'],
    [
      ['[Header: H', '[numbers of lists, missing from the file]\n[Header: H'],
      ['* Salt', 'Salt'],
    ],
  ],
  [
    'the footnotes',
    ['footnotes.xml'],
    [
      ['[Header: H', '[footnotes, missing from the file]\n[Header: H'],
      ['[1]', '[footnote, missing from the file]'],
      ['[2]', '[1]'],
      ['1. Foot of the page. ↑\n2.', '1.'],
    ],
  ],
  [
    'the comments',
    ['comments.xml'],
    [
      ['[Header: H', '[comments, missing from the file]\n[Header: H'],
      ['[A1]', '[comment, missing from the file]'],
      ['Comment [A1]\ntoo low ↑\n', ''],
    ],
  ],
  [
    'a header and a footer',
    ['header2.xml', 'footer1.xml'],
    [
      ['[Header: Secret]', '[Header, missing from the file]'],
      ['[Footer: Page]', '[Footer, missing from the file]'],
    ],
  ],
  ['a picture', ['media/image1.png'], [['picture, not read', 'picture, missing from the file']]],
])('a document says that it names %s and does not have it', async (_what, names, changes) => {
  const parts = but(Object.fromEntries(names.map((name) => [`word/${name}`, undefined])));
  const expected = changes.reduce((text, [from, to]) => text.replace(from, to), whole.join('\n'));
  expect(linesOf((await extractDocx(officeFile(parts))).text).join('\n')).toBe(expected);
});

it('a document without the main part that it names is refused', async () => {
  const parts = but({ 'word/document.xml': undefined, 'word/document2.xml': documentOf() });
  await expect(extractDocx(officeFile(parts))).rejects.toThrow('its main part is missing');
});

it('parts that nothing refers to are no parts of the document', async () => {
  const parts = but({
    'word/_rels/document.xml.rels': relations([['s', 'styles', 'styles.xml']]),
    'word/document.xml': documentOf(paragraph(run('Report'), 'Kop1'), ''),
    'word/header9.xml': margin('hdr', 'of a draft'),
  });
  expect((await extractDocx(officeFile(parts))).text).toBe('# Report');
});
