import { describe, expect, it } from '@jest/globals';
import { ns, officeFile, relations } from '../../../../test/support/files/office-file.js';
import { extractXlsx } from './extract-xlsx.js';

const budget = { maxChars: 10_000 };

/** A workbook with a single sheet. */
function workbook(rows: string, more: Record<string, string> = {}, properties = ''): Buffer {
  return officeFile({
    'xl/workbook.xml': `<workbook xmlns:r="r">${properties}<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ...('xl/sharedStrings.xml' in more
        ? ([['rId2', 'sharedStrings', 'sharedStrings.xml']] as const)
        : []),
      ...('xl/styles.xml' in more ? ([['rId3', 'styles', 'styles.xml']] as const) : []),
    ]),
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...more,
  });
}

const read = async (...of: Parameters<typeof workbook>) =>
  (await extractXlsx(workbook(...of), budget)).text.trim().split('\n').slice(1);

describe('extractXlsx', () => {
  it('reads cells and rows that do not say where they are', async () => {
    const rows = '<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>';
    expect(await read(rows)).toEqual(['1,2', '3']);
  });

  it('says what is empty before a cell that is far away, and keeps it', async () => {
    const rows =
      '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>9</v></c></row>';
    expect(await read(rows)).toEqual([
      '1',
      '[rows 2–1048575 are empty]',
      '[16383 empty columns],9',
    ]);
  });

  it('keeps few empty rows and cells as they are', async () => {
    const rows = '<row r="2"><c r="C2"><v>1</v></c><c r="E2" s="1"/></row><row r="4"/>';
    expect(await read(rows)).toEqual(['', ',,1']);
  });

  it('reads texts, truths, errors and what nobody calculated', async () => {
    const rows = `<row><c t="s"><v>0</v></c><c t="s"><v>7</v></c><c t="inlineStr"><is><t>in, line</t></is></c>
      <c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><f>A1</f><v>said</v></c><c><f>1+1</f></c></row>`;
    const strings = '<sst><si><r><t>two </t></r><r><t>runs</t></r><rPh><t>x</t></rPh></si></sst>';
    expect(await read(rows, { 'xl/sharedStrings.xml': strings })).toEqual([
      'two runs,"[text, missing from the file]","in, line",true,#DIV/0!,said,=1+1',
    ]);
  });

  it('reads dates by their styles, from 1900 and from 1904', async () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;day&quot; 0"/>
      <numFmt numFmtId="165" formatCode="[$-407]d\\.m\\.yy"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`;
    const cell = (style: number, value: number) => `<c s="${style}"><v>${value}</v></c>`;
    const rows = `<row>${cell(0, 45_362)}${cell(1, 45_362)}${cell(2, 45_362)}${cell(3, 45_362.5)}${cell(1, 1)}${cell(1, 0.75)}</row>`;
    const more = { 'xl/styles.xml': styles };
    expect(await read(rows, more)).toEqual([
      '45362,2024-03-11,day 45362,2024-03-11T12:00:00,1900-01-01,18:00:00',
    ]);
    const old = await read(`<row>${cell(1, 43_900)}</row>`, more, '<workbookPr date1904="1"/>');
    expect(old).toEqual(['2024-03-11']);
  });

  it.each<[string, number, string]>([
    ['[h]:mm', 1.104_166_666_7, '26:30'],
    ['[h]:mm', 1.104_282_407_4, '26:30:10'],
    ['[mm]:ss', 0.062_673_611_1, '90:15'],
    ['h:mm', 1.104_166_666_7, '26:30:00'],
    ['h:mm', 0.604_166_666_7, '14:30:00'],
    ['h:mm', 46_000.25, '2025-12-09T06:00:00'],
    ['yyyy-mm-dd hh:mm', 46_000.25, '2025-12-09T06:00:00'],
    ['0%', 0.475, '47.5%'],
    ['#,##0.00\\ %', 0.0325, '3.25%'],
    ['&quot;€&quot; #,##0.00', 1234.5, '"€ 1,234.50"'],
    ['[$€-407] #,##0.00', -0.125, '-€ 0.13 (-0.125)'],
    ['_(&quot;$&quot;* #,##0_)', 12.5, '$13 (12.5)'],
    ['0 &quot;kg&quot;', 3, '3 kg'],
    ['00000', 1067, '01067'],
    ['#,##0.00', 1234.5678, '1234.5678'],
    ['&quot;no format', 7, '7'],
    ['0.00', 0.1, '0.1'],
  ])('writes by the format %s %d as %s', async (code, value, expected) => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts>
      <cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`;
    const rows = `<row><c s="0"><v>${value}</v></c></row>`;
    expect(await read(rows, { 'xl/styles.xml': styles })).toEqual([expected]);
  });

  it('marks hidden sheets, rows and columns, and reads the notes on cells', async () => {
    const sheet = `<worksheet><cols><col min="2" max="2" hidden="1"/><col min="27" max="28" hidden="true"/></cols>
      <sheetData><row r="1"><c><v>1</v></c></row><row r="2" hidden="1"><c><v>2</v></c></row>
      <row r="3"><c><v>3</v></c></row></sheetData></worksheet>`;
    const content = workbook('', {
      'xl/workbook.xml':
        '<workbook xmlns:r="r"><sheets><sheet name="S" state="veryHidden" r:id="rId1"/></sheets></workbook>',
      'xl/worksheets/sheet1.xml': sheet,
      'xl/worksheets/_rels/sheet1.xml.rels': relations([['r1', 'comments', '../comments1.xml']]),
      'xl/comments1.xml': `<comments><authors><author>Ann</author></authors><commentList><comment ref="A3" authorId="0">
        <text><r><t>too </t></r><r><t>low</t></r></text></comment></commentList></comments>`,
    });
    expect((await extractXlsx(content, budget)).text.trim().split('\n')).toEqual([
      '# S (hidden sheet)',
      '[hidden: column B]',
      '[hidden: columns AA–AB]',
      '1',
      '[hidden rows from row 2]',
      '2',
      '[visible again from row 3]',
      '3',
      '[Note on A3 by Ann: too low]',
    ]);
  });

  it('reads elements under any prefix', async () => {
    const rows = `<q:row xmlns:q="${ns.x}"><q:c><q:v>1</q:v></q:c></q:row>`;
    expect(await read(rows)).toEqual(['1']);
  });

  it('marks a sheet of which the rest is not kept', async () => {
    const rows = '<row><c><v>123456789</v></c></row>'.repeat(100);
    const found = await extractXlsx(workbook(rows), { maxChars: 50 });
    expect(found.isPartial).toBe(true);
    expect(found.text.length).toBeLessThan(100);
    expect((await extractXlsx(workbook(rows), budget)).isPartial).toBe(false);
  });

  it('refuses what has no sheets', async () => {
    const empty = officeFile({ 'xl/workbook.xml': '<workbook/>' });
    await expect(extractXlsx(empty, budget)).rejects.toThrow('is no workbook: it has no sheets');
  });
});
