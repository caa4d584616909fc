import { describe, expect, it } from '@jest/globals';
import { testZip } from '../../../../test/support/files/test-zip.js';
import { extractXlsx } from './extract-xlsx.js';

const relations = `<Relationships><Relationship Id="rId1" Type="t/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`;
const budget = { maxChars: 10_000 };

/** A workbook with a single sheet. */
function workbook(rows: string, more: Record<string, string> = {}, properties = ''): Buffer {
  const parts = {
    'xl/workbook.xml': `<workbook xmlns:r="r">${properties}<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...more,
  };
  return testZip(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)] as const));
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
      'two runs,,"in, line",true,#DIV/0!,said,=1+1',
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
      '45362,2024-03-11,45362,2024-03-11T12:00:00Z,1900-01-01,18:00:00',
    ]);
    const old = await read(`<row>${cell(1, 43_900)}</row>`, more, '<workbookPr date1904="1"/>');
    expect(old).toEqual(['2024-03-11']);
  });

  it('reads elements under any prefix', async () => {
    const rows = '<x:row xmlns:x="x"><x:c><x:v>1</x:v></x:c></x:row>';
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
    const empty = testZip([['xl/workbook.xml', Buffer.from('<workbook/>')]]);
    await expect(extractXlsx(empty, budget)).rejects.toThrow('is no workbook: it has no sheets');
  });
});
