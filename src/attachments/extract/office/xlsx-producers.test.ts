import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import {
  contentTypes,
  mainRelation,
  ns,
  officeFile,
  relations,
  type OfficeFileOptions,
  type OfficeParts,
} from '../../../../test/support/files/office-file.js';
import { extractXlsx } from './extract-xlsx.js';

// The same workbook as many programs write it: two texts, a day, a number, and a note where the program has notes.

const main = 'spreadsheetml.sheet.main';
const sst = `<sst xmlns="${ns.x}" count="2" uniqueCount="2"><si><t>RENT-7</t></si><si><t xml:space="preserve">CITY-9</t></si></sst>`;
const styles = `<styleSheet xmlns="${ns.x}"><numFmts count="1"><numFmt numFmtId="176" formatCode="dd\\.mm\\.yyyy"/></numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" xfId="0"/><xf numFmtId="176" xfId="0" applyNumberFormat="1"/></cellXfs><dxfs><dxf><numFmt numFmtId="176" formatCode="0.00"/></dxf></dxfs></styleSheet>`;
const cells =
  '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" s="1"><v>45362</v></c><c r="D1"><v>5</v></c></row>';
const sheet = (rows = cells, more = ''): string =>
  `<worksheet xmlns="${ns.x}" xmlns:r="${ns.r}"><sheetData>${rows}</sheetData>${more}</worksheet>`;
const workbook = (id: string, properties = ''): string =>
  `<workbook xmlns="${ns.x}" xmlns:r="${ns.r}">${properties}<sheets><sheet name="S" sheetId="1" r:id="${id}"/></sheets></workbook>`;
const note = (prefix = ''): string => {
  const [q, declared] = prefix === '' ? ['', 'xmlns'] : [`${prefix}:`, `xmlns:${prefix}`];
  return `<${q}comments ${declared}="${ns.x}"><${q}authors><${q}author>Ann</${q}author></${q}authors><${q}commentList><${q}comment ref="B1" authorId="0"><${q}text><${q}r><${q}t>ask </${q}t></${q}r><${q}r><${q}t>again</${q}t></${q}r></${q}text></${q}comment></${q}commentList></${q}comments>`;
};

const excel: OfficeParts = {
  '[Content_Types].xml': contentTypes({
    'xl/workbook.xml': main,
    'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
    'xl/styles.xml': 'spreadsheetml.styles',
    'xl/sharedStrings.xml': 'spreadsheetml.sharedStrings',
  }),
  '_rels/.rels': mainRelation('xl/workbook.xml'),
  'xl/workbook.xml': workbook(
    'rId1',
    `<mc:AlternateContent xmlns:mc="${ns.mc}"><mc:Choice Requires="x15"><x15ac:absPath url="C:\\" xmlns:x15ac="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"/></mc:Choice></mc:AlternateContent>`,
  ),
  'xl/_rels/workbook.xml.rels': relations([
    ['rId3', 'styles', 'styles.xml'],
    ['rId2', 'theme', 'theme/theme1.xml'],
    ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
    ['rId4', 'sharedStrings', 'sharedStrings.xml'],
  ]),
  'xl/worksheets/sheet1.xml': sheet(),
  'xl/styles.xml': styles,
  'xl/sharedStrings.xml': sst,
};

/** With other parts; undefined takes one away. */
const but = (changes: Record<string, string | undefined>): OfficeParts =>
  Object.fromEntries(
    Object.entries({ ...excel, ...changes }).flatMap(([name, content]) =>
      content === undefined ? [] : [[name, content]],
    ),
  );

const strict = (parts: OfficeParts): OfficeParts =>
  Object.fromEntries(
    Object.entries(parts).map(([name, content]) => [
      name,
      String(content)
        .replaceAll(ns.x, 'http://purl.oclc.org/ooxml/spreadsheetml/main')
        .replaceAll(ns.r, 'http://purl.oclc.org/ooxml/officeDocument/relationships'),
    ]),
  );

const row = 'RENT-7,CITY-9,2024-03-11,5';
const withNote = `# S\n${row}\n[Note on B1 by Ann: ask again]`;

/** Writes of one prefix for all elements, absolute targets and ids of its own. */
const openXmlSdk: OfficeParts = {
  'xl/worksheets/sheet.xml': sheet()
    .replaceAll(/<(\/?)(?=[a-z])/g, '<$1x:')
    .replace('xmlns=', 'xmlns:x='),
  'xl/comments/comments.xml': note('x'),
  'xl/worksheets/_rels/sheet.xml.rels': relations([
    ['R9', 'comments', '/xl/comments/comments.xml'],
  ]),
  'xl/workbook.xml': `<x:workbook xmlns:x="${ns.x}"><x:sheets><x:sheet name="S" sheetId="1" d:id="R5f" xmlns:d="${ns.r}"/></x:sheets></x:workbook>`,
  'xl/_rels/workbook.xml.rels': relations([
    ['R5f', 'worksheet', '/xl/worksheets/sheet.xml'],
    ['R6a', 'sharedStrings', '/xl/sharedStrings.xml'],
    ['R7b', 'styles', '/xl/styles.xml'],
  ]),
  'xl/sharedStrings.xml': `<x:sst xmlns:x="${ns.x}"><x:si><x:t>RENT-7</x:t></x:si><x:si><x:r><x:t>CITY</x:t></x:r><x:r><x:t>-9</x:t></x:r></x:si></x:sst>`,
  'xl/styles.xml': styles.replaceAll(/<(\/?)(?=[a-z])/gi, '<$1x:').replace('xmlns=', 'xmlns:x='),
  '_rels/.rels': mainRelation('/xl/workbook.xml'),
};

const utf16 = (text: string): Buffer =>
  Buffer.from(`\uFEFF${text.replace('encoding="UTF-8"', 'encoding="UTF-16"')}`, 'utf16le');

it.each<[string, OfficeParts, string, OfficeFileOptions?]>([
  ['Excel', excel, `# S\n${row}`],
  [
    'Excel, in the strict form',
    strict(
      but({
        'xl/worksheets/sheet1.xml': sheet(
          cells.replace('s="1"><v>45362', 's="1" t="d"><v>2024-03-11'),
        ),
      }),
    ),
    `# S\n${row}`,
  ],
  [
    'Excel of a Mac, with days from 1904',
    but({
      'xl/workbook.xml': workbook('rId1', '<workbookPr date1904="true"/>'),
      'xl/worksheets/sheet1.xml': sheet(cells.replace('45362', '43900')),
    }),
    `# S\n${row}`,
  ],
  ['the Open XML SDK and ClosedXML', openXmlSdk, withNote],
  [
    'Google Sheets',
    but({
      'xl/workbook.xml': workbook('rId4', '<workbookPr/>'),
      'xl/_rels/workbook.xml.rels': relations([
        ['rId1', 'theme', 'theme/theme1.xml'],
        ['rId2', 'styles', 'styles.xml'],
        ['rId3', 'sharedStrings', 'sharedStrings.xml'],
        ['rId4', 'worksheet', 'worksheets/sheet1.xml'],
      ]),
      'xl/worksheets/sheet1.xml': sheet(cells, '<drawing r:id="rId1"/>'),
      'xl/worksheets/_rels/sheet1.xml.rels': relations([
        ['rId1', 'drawing', '../drawings/drawing1.xml'],
        ['rId2', 'comments', '../comments1.xml'],
      ]),
      'xl/drawings/drawing1.xml': `<xdr:wsDr xmlns:xdr="${ns.xdr}"/>`,
      'xl/comments1.xml': note(),
    }),
    withNote,
  ],
  [
    'openpyxl',
    but({
      'xl/_rels/workbook.xml.rels': relations([
        ['rId1', 'worksheet', '/xl/worksheets/sheet1.xml'],
        ['rId2', 'styles', 'styles.xml'],
        ['rId3', 'sharedStrings', 'sharedStrings.xml'],
      ]),
      'xl/worksheets/_rels/sheet1.xml.rels': relations([
        ['comments', 'comments', '/xl/comments/comment1.xml'],
        ['anysvml', 'vmlDrawing', '/xl/drawings/commentsDrawing1.vml'],
      ]),
      'xl/comments/comment1.xml': note(),
    }),
    withNote,
  ],
  [
    'SheetJS',
    but({
      'xl/sharedStrings.xml': undefined,
      'xl/_rels/workbook.xml.rels': relations([
        ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
        ['rId2', 'styles', 'styles.xml'],
      ]),
      'xl/worksheets/sheet1.xml': sheet(
        '<row r="1"><c r="A1" t="str"><v>RENT-7</v></c><c r="B1" t="str"><v>CITY-9</v></c><c r="C1" s="1" t="n"><v>45362</v></c><c r="D1" t="n"><v>5</v></c></row>',
      ),
    }),
    `# S\n${row}`,
  ],
  [
    'Apache POI, which writes to a stream',
    but({
      'xl/worksheets/sheet1.xml': sheet(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>RENT-7</t></is></c><c r="B1" t="inlineStr"><is><r><t>CITY</t></r><r><t>-9</t></r></is></c><c r="C1" s="1"><v>45362.0</v></c><c r="D1" t="n"><v>5.0</v></c></row>',
      ),
    }),
    `# S\n${row}`,
    { hasDescriptors: true },
  ],
  [
    'a report server, with SharedStrings.xml and upper case in folders',
    but({
      'xl/sharedStrings.xml': undefined,
      'xl/SharedStrings.xml': sst,
      'xl/styles.xml': undefined,
      'XL/Styles.XML': styles,
    }),
    `# S\n${row}`,
  ],
  [
    'Crystal Reports, in a folder of another name',
    {
      '_rels/.rels': mainRelation('excel/workbook2.xml'),
      'excel/workbook2.xml': workbook('a'),
      'excel/_rels/workbook2.xml.rels': relations([
        ['a', 'worksheet', '../data/./tab.xml'],
        ['b', 'sharedStrings', '../data/strings1.xml'],
        ['c', 'styles', 'looks.xml'],
      ]),
      'data/tab.xml': sheet(),
      'data/_rels/tab.xml.rels': relations([['z', 'comments', '../remarks.xml']]),
      'data/strings1.xml': sst,
      'excel/looks.xml': styles,
      'remarks.xml': note(),
    },
    withNote,
  ],
  [
    'programs of Windows, with backslashes in the archive',
    excel,
    `# S\n${row}`,
    { rename: (name) => name.replaceAll('/', '\\') },
  ],
  [
    'programs that write absolute names into the archive',
    excel,
    `# S\n${row}`,
    { rename: (name) => `/${name}` },
  ],
  [
    'WPS, with names in Chinese, escaped',
    but({
      'xl/_rels/workbook.xml.rels': relations([
        ['rId1', 'worksheet', 'worksheets/%E8%A1%A8%201.xml'],
        ['rId3', 'styles', 'styles.xml'],
        ['rId4', 'sharedStrings', 'shared%20Strings.xml'],
      ]),
      'xl/worksheets/sheet1.xml': undefined,
      'xl/worksheets/表 1.xml': sheet(),
      'xl/sharedStrings.xml': undefined,
      'xl/shared%20Strings.xml': sst,
    }),
    `# S\n${row}`,
  ],
  [
    'EPPlus, with a byte order mark',
    excel,
    `# S\n${row}`,
    { encode: (text) => Buffer.from(`\uFEFF${text}`) },
  ],
  ['programs that write UTF-16', excel, `# S\n${row}`, { encode: utf16 }],
  [
    'Numbers, with its parts by content types alone',
    but({
      'xl/_rels/workbook.xml.rels': relations([['rId1', 'worksheet', 'worksheets/sheet1.xml']]),
      '_rels/.rels': undefined,
    }),
    `# S\n${row}`,
  ],
])('a workbook of %s is read', async (_producer, parts, expected, options = {}) => {
  const { text } = await extractXlsx(officeFile(parts, options), { maxChars: 10_000 });
  expect(text.trim()).toBe(expected);
});

it('a workbook of LibreOffice is read, with days from 1904', async () => {
  const file = new URL('../../../../test/fixtures/files/dates.xlsx', import.meta.url);
  const { text } = await extractXlsx(await readFile(file), { maxChars: 10_000 });
  expect(text.trim()).toBe(withNote.replace('# S', '# Berths'));
});

it.each<[string, Record<string, string | undefined>, string]>([
  [
    'the shared strings',
    { 'xl/sharedStrings.xml': undefined },
    '[texts of the cells, missing from the file]\n# S\n"[text, missing from the file]","[text, missing from the file]",2024-03-11,5',
  ],
  [
    'the styles',
    { 'xl/styles.xml': undefined },
    '[styles, missing from the file: dates are shown as numbers]\n# S\nRENT-7,CITY-9,45362,5',
  ],
  ['a sheet', { 'xl/worksheets/sheet1.xml': undefined }, '# S\n[sheet, missing from the file]'],
  [
    'the relations of the workbook',
    { 'xl/_rels/workbook.xml.rels': undefined },
    '# S\n[sheet, missing from the file]',
  ],
  [
    'the notes on cells and the drawing of a sheet',
    {
      'xl/worksheets/_rels/sheet1.xml.rels': relations([
        ['a', 'comments', '../comments1.xml'],
        ['b', 'drawing', '../drawings/drawing1.xml'],
      ]),
    },
    `# S\n${row}\n[notes on cells, missing from the file]\n[drawing or chart, missing from the file]`,
  ],
])('a workbook says that it names %s and does not have it', async (_what, changes, expected) => {
  const { text } = await extractXlsx(officeFile(but(changes)), { maxChars: 10_000 });
  expect(text.trim()).toBe(expected);
});

it('a part of the usual name is not taken for the one that the relations name', async () => {
  const parts = but({
    'xl/_rels/workbook.xml.rels': relations([
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ['rId4', 'sharedStrings', 'strings2.xml'],
      ['rId3', 'styles', 'styles.xml'],
    ]),
    'xl/strings2.xml': sst.replace('RENT-7', 'RENT-8'),
  });
  const { text } = await extractXlsx(officeFile(parts), { maxChars: 10_000 });
  expect(text).toContain('RENT-8,CITY-9');
});

it('furigana are no part of a text, wherever it is, and escaped characters are read', async () => {
  const kana = '<rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/>';
  const parts = but({
    'xl/sharedStrings.xml': `<sst xmlns="${ns.x}"><si><t>東京</t>${kana}</si><si><t>a_x005F_x0041_b_x000A_c</t></si></sst>`,
    'xl/worksheets/sheet1.xml': sheet(
      `<row><c t="s"><v>0</v></c><c t="inlineStr"><is><r><t>大</t></r><r><t>阪</t></r>${kana}</is></c><c t="s"><v>1</v></c></row>`,
    ),
    'xl/worksheets/_rels/sheet1.xml.rels': relations([['a', 'comments', '../comments1.xml']]),
    'xl/comments1.xml': note().replace('</text>', `${kana}</text>`),
  });
  const { text } = await extractXlsx(officeFile(parts), { maxChars: 10_000 });
  expect(text.trim()).toBe('# S\n東京,大阪,"a_x0041_b\nc"\n[Note on B1 by Ann: ask again]');
});

it('a sheet that is named many times is read once', async () => {
  const twice = workbook('rId1').replace(
    /<sheet [^>]*\/>/,
    (one) => one + one.replace('"S"', '"T"'),
  );
  const { text } = await extractXlsx(officeFile(but({ 'xl/workbook.xml': twice })), {
    maxChars: 10_000,
  });
  expect(text.trim()).toBe(`# S\n${row}\n\n# T\n[sheet, the same as one above]`);
});
