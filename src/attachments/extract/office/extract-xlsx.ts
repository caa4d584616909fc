import { FileFault } from '../file-fault.js';
import { openArchive } from './open-archive.js';
import { parseNumberFormats } from './number-format.js';
import { localName, parseXml } from './parse-xml.js';
import { parseRelations, type Parts, type Relation } from './parse-relations.js';
import { columnLetters, parseSheet, type SheetCell, type SheetRow } from './parse-sheet.js';
import { notRead, type ExtractionBudget, type ExtractedText } from '../extracted-text.js';

const workbook = 'xl/workbook.xml';
/** Empty rows or columns in a run that are written out; a longer run becomes a note. */
const MOST_EMPTY = 20;

interface Sheet {
  name: string;
  /** Name of the sheet's part. */
  part: string;
  isHidden: boolean;
}

/**
 * Extracts each sheet under its name, a row a line, as CSV, and the notes on its cells. Hidden sheets, rows and
 * columns are marked. A long run of empty rows or columns becomes a note. Rows after `maxChars` are left out.
 *
 * @throws FileFault when it is no workbook.
 */
export async function extractXlsx(
  content: Buffer,
  { maxChars }: Pick<ExtractionBudget, 'maxChars'>,
): Promise<ExtractedText> {
  const parts = await openArchive(content, (name) => /^xl\/.*\.(xml|rels)$/.test(name));
  const { sheets, is1904 } = parseWorkbook(parts);
  if (sheets.length === 0) throw new FileFault('is no workbook: it has no sheets');
  const formats = {
    is1904,
    sharedStrings: parseSharedStrings(parts.get('xl/sharedStrings.xml')),
    numberFormats: parseNumberFormats(parts.get('xl/styles.xml')),
  };
  const lines: string[] = [];
  let length = 0;
  let isPartial = false;
  const write = (...written: readonly string[]): void => {
    isPartial ||= length > maxChars;
    if (isPartial) return;
    lines.push(...written);
    length += written.reduce((sum, line) => sum + line.length + 1, 0);
  };
  for (const { name, part, isHidden } of sheets) {
    lines.push(`# ${name}${isHidden ? ' (hidden sheet)' : ''}`);
    let last: SheetRow = { row: 0, cells: [], isHidden: false };
    parseSheet(parts.get(part), formats, {
      hiddenColumns: (from, to) => write(`[hidden: ${writeColumns(from, to)}]`),
      row: (row) => {
        const marks = row.isHidden === last.isHidden ? [] : [markRow(row)];
        write(...skipRows(last.row, row), ...marks, writeRow(row.cells));
        last = row;
      },
    });
    const relations = parseRelations(parts, part);
    const hasDrawing = relations.some(({ type }) => type.endsWith('/drawing'));
    write(...parseNotes(parts, relations), ...(hasDrawing ? [notRead('drawing or chart')] : []));
    lines.push('');
  }
  return { text: lines.join('\n'), via: 'text', isPartial };
}

function parseWorkbook(parts: Parts): { sheets: Sheet[]; is1904: boolean } {
  const targets = new Map(parseRelations(parts, workbook).map(({ id, target }) => [id, target]));
  const sheets: Sheet[] = [];
  let is1904 = false;
  parseXml(parts.get(workbook), {
    open: (qualified, attributes) => {
      const name = localName(qualified);
      if (name === 'workbookPr') is1904 = /^(1|true)$/.test(attributes['date1904'] ?? '');
      const part = name === 'sheet' ? targets.get(relationOf(attributes)) : undefined;
      if (part === undefined) return;
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      sheets.push({ name: attributes['name'] ?? '', part, isHidden });
    },
  });
  return { sheets, is1904 };
}

/** The relation id of a sheet: its attribute's prefix differs by program. */
function relationOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
}

function parseSharedStrings(part: Buffer | undefined): string[] {
  const strings: string[] = [];
  let text = '';
  let isPhonetic = false;
  parseXml(part, {
    open: (qualified) => {
      const name = localName(qualified);
      if (name === 'si') text = '';
      // Phonetic runs are no part of the text.
      if (name === 'rPh') isPhonetic = true;
    },
    text: (run, name) => {
      if (localName(name) === 't' && !isPhonetic) text += run;
    },
    close: (qualified) => {
      const name = localName(qualified);
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') strings.push(text);
    },
  });
  return strings;
}

function writeColumns(from: number, to: number): string {
  const [first, last] = [columnLetters(from), columnLetters(to)];
  return from === to ? `column ${first}` : `columns ${first}–${last}`;
}

const markRow = ({ row, isHidden }: SheetRow): string =>
  isHidden ? `[hidden rows from row ${row}]` : `[visible again from row ${row}]`;

/** A line for each note on a cell of the sheet. */
function parseNotes(parts: Parts, relations: readonly Relation[]): string[] {
  const notes: string[] = [];
  const relation = relations.find(({ type }) => type.endsWith('/comments'));
  if (relation === undefined) return notes;
  const authors: string[] = [];
  let [text, cell, author] = ['', '', ''];
  parseXml(parts.get(relation.target), {
    open: (qualified, attributes) => {
      const name = localName(qualified);
      if (name === 'author') text = '';
      if (name !== 'comment') return;
      text = '';
      cell = attributes['ref'] ?? '';
      author = authors[Number(attributes['authorId'])] ?? '';
    },
    text: (run, name) => {
      if (['t', 'author'].includes(localName(name))) text += run;
    },
    close: (qualified) => {
      const name = localName(qualified);
      if (name === 'author') authors.push(text);
      const by = author === '' ? '' : ` by ${author}`;
      if (name === 'comment') notes.push(`[Note on ${cell}${by}: ${text.trim()}]`);
    },
  });
  return notes;
}

/** The lines for the empty rows before a row. */
function skipRows(last: number, { row }: SheetRow): string[] {
  const empty = row - last - 1;
  if (empty <= 0) return [];
  return empty > MOST_EMPTY
    ? [`[rows ${last + 1}–${row - 1} are empty]`]
    : Array.from({ length: empty }, () => '');
}

function writeRow(cells: readonly SheetCell[]): string {
  const written: string[] = [];
  let last = 0;
  for (const { column, text } of cells) {
    const empty = Math.max(0, column - last - 1);
    if (empty > MOST_EMPTY) written.push(`[${empty} empty columns]`);
    else written.push(...Array.from({ length: empty }, () => ''));
    written.push(toCsv(text));
    last = column;
  }
  return written.join(',');
}

function toCsv(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
