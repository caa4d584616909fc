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
