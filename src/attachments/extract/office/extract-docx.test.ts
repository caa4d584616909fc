import { expect, it } from '@jest/globals';
import {
  contentTypes,
  mainRelation,
  ns,
  officeFile,
  relations,
  type MadeRelation,
} from '../../../../test/support/files/office-file.js';
import { extractDocx } from './extract-docx.js';

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const paragraph = (text: string, style = ''): string =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
const style = (level: number): string =>
  `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;
const margin = (kind: 'hdr' | 'ftr', text: string): string =>
  `<w:${kind} ${w}>${paragraph(text)}</w:${kind}>`;

const related: MadeRelation[] = [
  ['r1', 'styles', 'styles.xml'],
  ['r3', 'header', 'header1.xml'],
  ['r4', 'header', 'header2.xml'],
  ['r5', 'footer', 'footer1.xml'],
];
const parts: Record<string, string> = {
  '[Content_Types].xml': contentTypes({
    'word/document.xml': 'wordprocessingml.document.main',
  }),
  '_rels/.rels': mainRelation('word/document.xml'),
  'word/_rels/document.xml.rels': relations(related),
  'word/styles.xml': `<w:styles ${w}>${style(1)}${style(2)}</w:styles>`,
  'word/document.xml': `<w:document ${w}><w:body>${paragraph('Report', 'Heading1')}${paragraph('Ships', 'Heading2')}${paragraph('Forty-two.')}</w:body></w:document>`,
  'word/header1.xml': margin('hdr', 'Secret'),
  'word/header2.xml': margin('hdr', 'Secret'),
  'word/footer1.xml': margin('ftr', 'The harbour office'),
};

it('extractDocx keeps the levels of headings, and what stands above and below the pages', async () => {
  const { text } = await extractDocx(officeFile(parts));
  expect(text).toBe(
    '[Header: Secret]\n\n# Report\n\n## Ships\n\nForty-two.\n\n[Footer: The harbour office]',
  );
});

it('extractDocx marks tracked changes, and reads comments', async () => {
  const change = (kind: string, attributes: string, text: string): string =>
    `<w:${kind} ${attributes}><w:r><w:${kind === 'del' ? 'delText' : 't'}>${text}</w:${kind === 'del' ? 'delText' : 't'}></w:r></w:${kind}>`;
  const body = [
    '<w:p><w:pPr><w:rPr><w:ins w:id="9" w:author="Bob"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">Cap </w:t></w:r>',
    change('del', 'w:id="1" w:author="Bob &amp; Co"', '100,000'),
    change('ins', 'w:id="2"', '500,000'),
    change('moveFrom', 'w:id="3" w:author="Ann"', 'here'),
    change('moveTo', 'w:id="4" w:author="Ann"', 'there'),
    '<w:r><w:commentReference w:id="0"/></w:r></w:p>',
  ].join('');
  const files = {
    ...parts,
    'word/_rels/document.xml.rels': relations([...related, ['r2', 'comments', 'comments.xml']]),
    'word/comments.xml': `<w:comments ${w}><w:comment w:id="0" w:author="Ann" w:initials="A">${paragraph('too low')}</w:comment></w:comments>`,
    'word/document.xml': `<w:document ${w}><w:body>${body}</w:body></w:document>`,
  };
  const { text } = await extractDocx(officeFile(files));
  expect(text).toContain(
    'Cap [deleted by Bob & Co: 100,000][inserted: 500,000][moved away by Ann: here][moved here by Ann: there][A1]',
  );
  expect(text).toMatch(/Comment \[A1\]\s+too low/);
});

/** The text of a document of some paragraphs. */
const read = async (body: string, more: Record<string, string> = {}): Promise<string> => {
  const document = `<w:document ${w} xmlns:r="${ns.r}" xmlns:mc="${ns.mc}" xmlns:wps="${ns.wps}" xmlns:wp="${ns.wp}" xmlns:a="${ns.a}" xmlns:v="${ns.v}"><w:body>${body}</w:body></w:document>`;
  return (await extractDocx(officeFile({ ...parts, 'word/document.xml': document, ...more }))).text
    .replace(/^\[Header: Secret\]\n\n/, '')
    .replace(/\n\n\[Footer: The harbour office\]$/, '');
};
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const deleted = (text: string): string =>
  `<w:del w:id="1" w:author="Bob"><w:r><w:delText>${text}</w:delText></w:r></w:del>`;

it('extractDocx keeps rows and paragraphs that were deleted, as marked', async () => {
  const row = (properties: string, cell: string): string =>
    `<w:tr>${properties}<w:tc><w:p>${cell}</w:p></w:tc></w:tr>`;
  const table = `<w:tbl>${row('', run('Kept'))}${row('<w:trPr><w:del w:id="2" w:author="Bob"></w:del></w:trPr>', deleted('Berth 9'))}</w:tbl>`;
  const last = `<w:p><w:pPr><w:rPr><w:del w:id="3" w:author="Bob"/></w:rPr></w:pPr>${deleted('The end')}</w:p>`;
  const text = await read(`${table}${last}`);
  expect(text.split('\n').map((line) => line.trim())).toEqual([
    'Kept',
    '[deleted by Bob: Berth 9]',
    '',
    '[deleted by Bob: The end]',
  ]);
});

it('extractDocx marks changes in notes and margins, and shows none of what was there before', async () => {
  const changed = `<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:pPrChange w:id="4"><w:pPr><w:pStyle w:val="Heading2"/></w:pPr></w:pPrChange></w:pPr>${run('Plan')}<w:r><w:footnoteReference w:id="5"/></w:r></w:p>`;
  const text = await read(changed, {
    'word/_rels/document.xml.rels': relations([...related, ['r9', 'footnotes', 'footnotes.xml']]),
    'word/footnotes.xml': `<w:footnotes ${w}><w:footnote w:id="5"><w:p>${deleted('old')}${run('new')}</w:p></w:footnote></w:footnotes>`,
    'word/header1.xml': `<w:hdr ${w}><w:p>${deleted('Draft')}${run('Final')}</w:p></w:hdr>`,
  });
  expect(text).toMatch(/^\[Header: \[deleted by Bob: Draft\]Final\]$/m);
  expect(text).toMatch(/^# Plan\[1\]$/m);
  expect(text).toContain('1. [deleted by Bob: old]new');
});

it.each<[string, string, string]>([
  [
    'a text box, once of its two forms',
    `<w:p>${run('Before')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent><w:p>${run('Boxed')}</w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:oval><v:textbox><w:txbxContent><w:p>${run('Boxed')}</w:p></w:txbxContent></v:textbox></v:oval></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
    'Before\n\nBoxed',
  ],
  [
    'the fallback of what it does not know',
    `<w:p><mc:AlternateContent xmlns:q="urn:unknown"><mc:Choice Requires="q"><q:thing>${run('no')}</q:thing></mc:Choice><mc:Fallback>${run('yes')}</mc:Fallback></mc:AlternateContent></w:p>`,
    'yes',
  ],
  [
    'a choice without a fallback',
    `<w:p><mc:AlternateContent><mc:Choice Requires="wps">${run('yes')}</mc:Choice></mc:AlternateContent></w:p>`,
    'yes',
  ],
  [
    'a text box of before 2010 in an oval',
    `<w:p><w:r><w:pict><v:oval><v:textbox><w:txbxContent><w:p>${run('Round')}</w:p></w:txbxContent></v:textbox></v:oval></w:pict></w:r></w:p>`,
    'Round',
  ],
  [
    'a text with furigana, without them',
    `<w:p><w:r><w:ruby><w:rubyPr/><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r>${run('の港')}</w:p>`,
    '東京の港',
  ],
  [
    'results of fields, and texts that run from right to left',
    `<w:p>${run('Table ')}<w:fldSimple w:instr=" SEQ Table ">${run('7')}</w:fldSimple>${run(' ')}<w:bdo w:val="rtl">${run('שלום')}</w:bdo></w:p>`,
    'Table 7 שלום',
  ],
  [
    'what is around elements that nobody knows',
    `<w:p>${run('a')}<constructor xmlns="urn:q"/><toString/>${run('b')}</w:p>`,
    'ab',
  ],
  [
    'a chart, a linked picture, and a document put in',
    `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" title="Tides"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"/></a:graphic></wp:inline></w:drawing></w:r><w:r><w:pict><v:shape><v:imagedata r:href="r8" xmlns:o="urn:schemas-microsoft-com:office:office" o:title="Quay &quot;4&quot;"/></v:shape></w:pict></w:r></w:p><w:altChunk r:id="r9"/>`,
    '[chart, not read: Tides][picture, not read: Quay "4"]\n\n[inserted document, not read]',
  ],
])('extractDocx reads %s', async (_what, body, expected) => {
  expect(await read(body)).toBe(expected);
});
