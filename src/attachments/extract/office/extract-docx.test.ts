import { expect, it } from '@jest/globals';
import { testZip } from '../../../../test/support/files/test-zip.js';
import { extractDocx } from './extract-docx.js';

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const paragraph = (text: string, style = ''): string =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
const style = (level: number): string =>
  `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;
const margin = (kind: 'hdr' | 'ftr', text: string): string =>
  `<w:${kind} ${w}>${paragraph(text)}</w:${kind}>`;

const parts: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
  'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
  'word/styles.xml': `<w:styles ${w}>${style(1)}${style(2)}</w:styles>`,
  'word/document.xml': `<w:document ${w}><w:body>${paragraph('Report', 'Heading1')}${paragraph('Ships', 'Heading2')}${paragraph('Forty-two.')}</w:body></w:document>`,
  'word/header1.xml': margin('hdr', 'Secret'),
  'word/header2.xml': margin('hdr', 'Secret'),
  'word/footer1.xml': margin('ftr', 'The harbour office'),
};

it('extractDocx keeps the levels of headings, and what stands above and below the pages', async () => {
  const files = Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)] as const);
  const { text } = await extractDocx(testZip(files));
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
  const relations = parts['word/_rels/document.xml.rels'] ?? '';
  const files = {
    ...parts,
    'word/_rels/document.xml.rels': relations.replace(
      '</Relationships>',
      '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="comments.xml"/></Relationships>',
    ),
    'word/comments.xml': `<w:comments ${w}><w:comment w:id="0" w:author="Ann" w:initials="A">${paragraph('too low')}</w:comment></w:comments>`,
    'word/document.xml': `<w:document ${w}><w:body>${body}</w:body></w:document>`,
  };
  const content = testZip(
    Object.entries(files).map(([name, text]) => [name, Buffer.from(text)] as const),
  );
  const { text } = await extractDocx(content);
  expect(text).toContain(
    'Cap [deleted by Bob & Co: 100,000][inserted: 500,000][moved away by Ann: here][moved here by Ann: there][A1]',
  );
  expect(text).toMatch(/Comment \[A1\]\s+too low/);
});
