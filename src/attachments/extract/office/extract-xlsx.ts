import {
  FileFault,
  missing,
  type ExtractionBudget,
  type ExtractedText,
} from '../extraction-types.js';
import { OfficePackage, parsePart, type Part, type Relation } from './office-package.js';
import { parseNumberFormats, type NumberFormat } from './number-format.js';
import {
  describeSheet,
  parseSharedStrings,
  parseWorkbook,
  TextReader,
  unescapeText,
} from './workbook-parts.js';

/** Empty rows or columns in a run that are written out; a longer run becomes a note. */
const MAX_EMPTY_CELLS = 20;

/**
 * Extracts each sheet under its name, a row a line, as CSV, and the notes on its cells. Hidden sheets, rows and
 * columns are marked. A long run of empty rows or columns becomes a note. Rows after `maxChars` are left out.
 *
 * No library reads all of this. read-excel-file 9 knows no number formats but dates, no formula without a value, no hidden
 * sheets and no notes, and a cell at XFD1048576 takes all memory. exceljs 4 (last released in 2023) refuses rows without a
 * reference and elements with a prefix. SheetJS, which its makers no longer publish to npm, knows all of it, but takes
 * twelve times as long for a million cells, keeps them all, and reads a damaged sheet as an empty one.
 *
 * @throws FileFault when it is no workbook.
 */
export async function extractXlsx(
  content: Buffer,
  { maxChars }: Pick<ExtractionBudget, 'maxChars'>,
): Promise<ExtractedText> {
  const archive = await OfficePackage.open(content);
  const main = archive.findMain('xlsx');
  const { sheets, is1904 } =
    main === undefined ? { sheets: [], is1904: false } : parseWorkbook(archive, main);
  if (main === undefined || sheets.length === 0) {
    throw new FileFault('is no workbook: it has no sheets');
  }
  const [strings, styles] = ['sharedStrings', 'styles'].map((type) =>
    archive.relatedToMain(main, type),
  );
  const formats = {
    is1904,
    sharedStrings: parseSharedStrings(strings?.part),
    numberFormats: parseNumberFormats(styles?.part),
  };
  const lines: string[] = [
    ...(isMissing(strings) ? [missing('texts of the cells')] : []),
    ...(isMissing(styles) ? [missing('styles', 'dates are shown as numbers')] : []),
  ];
  let length = 0;
  let isPartial = false;
  const write = (...written: readonly string[]): void => {
    isPartial ||= length > maxChars;
    if (isPartial) return;
    lines.push(...written);
    length += written.reduce((sum, line) => sum + line.length + 1, 0);
  };
  const done = new Set<Part>();
  for (const { name, part, isHidden } of sheets) {
    lines.push(`# ${name}${isHidden ? ' (hidden sheet)' : ''}`);
    if (part === undefined) write(missing('sheet'));
    // A part is read once, however often a damaged workbook names it.
    else if (done.has(part)) write('[sheet, the same as one above]');
    else if (!isPartial) {
      let last: SheetRow = { row: 0, cells: [], isHidden: false };
      parseSheet(part, formats, {
        hiddenColumns: (from, to) => write(`[hidden: ${writeColumns(from, to)}]`),
        row: (row) => {
          const marks = row.isHidden === last.isHidden ? [] : [markRow(row)];
          write(...skipRows(last.row, row), ...marks, writeRow(row.cells));
          last = row;
        },
      });
      write(...describeSheet(archive, part));
      done.add(part);
    }
    lines.push('');
  }
  return { text: lines.join('\n'), via: 'text', isPartial };
}

const isMissing = (relation: Relation | undefined): boolean =>
  relation !== undefined && relation.part === undefined;

function writeColumns(from: number, to: number): string {
  const [first, last] = [columnLetters(from), columnLetters(to)];
  return from === to ? `column ${first}` : `columns ${first}–${last}`;
}

const markRow = ({ row, isHidden }: SheetRow): string =>
  isHidden ? `[hidden rows from row ${row}]` : `[visible again from row ${row}]`;

/** The lines for the empty rows before a row. */
function skipRows(last: number, { row }: SheetRow): string[] {
  const empty = row - last - 1;
  if (empty <= 0) return [];
  return empty > MAX_EMPTY_CELLS
    ? [`[rows ${last + 1}–${row - 1} are empty]`]
    : Array.from({ length: empty }, () => '');
}

function writeRow(cells: readonly SheetCell[]): string {
  const written: string[] = [];
  let last = 0;
  for (const { column, text } of cells) {
    const empty = Math.max(0, column - last - 1);
    if (empty > MAX_EMPTY_CELLS) written.push(`[${empty} empty columns]`);
    else written.push(...Array.from({ length: empty }, () => ''));
    written.push(toCsv(text));
    last = column;
  }
  return written.join(',');
}

function toCsv(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A cell that is not empty. */
export interface SheetCell {
  /** Number of the column, from 1. */
  column: number;
  text: string;
}

export interface SheetRow {
  /** Number of the row, from 1. */
  row: number;
  cells: SheetCell[];
  isHidden: boolean;
}

export interface CellFormats {
  sharedStrings: readonly string[];
  /** The number format of a style, by the style's number. */
  numberFormats: readonly NumberFormat[];
  /** Whether days are counted from 1904. */
  is1904: boolean;
}

interface OpenCell {
  column: number;
  type: string;
  style: number;
  value: string;
  formula: string;
}

export interface SheetListener {
  /** Called for each run of hidden columns, numbered from 1, before the rows. */
  hiddenColumns(first: number, last: number): void;
  /** Called for each row that is not empty. */
  row(row: SheetRow): void;
}

/** Parses a sheet. A row or cell without a reference follows the one before. */
function parseSheet(part: Part, formats: CellFormats, listener: SheetListener): void {
  let row: SheetRow = { row: 0, cells: [], isHidden: false };
  let column = 0;
  let cell: OpenCell | undefined;
  const inline = new TextReader();
  parsePart(part, {
    open: (name, attributes) => {
      const { r: reference = '', t: type = 'n', s: style = '0', hidden } = attributes;
      const isHidden = hidden === '1' || hidden === 'true';
      if (name === 'col' && isHidden) {
        const { min = '', max = '' } = attributes;
        listener.hiddenColumns(parseNumber(min) ?? 1, parseNumber(max) ?? 1);
      }
      if (name === 'row') {
        row = { row: parseNumber(reference) ?? row.row + 1, cells: [], isHidden };
        column = 0;
      }
      if (name === 'c') {
        column = parseColumn(reference) ?? column + 1;
        cell = { column, type, style: Number(style), value: '', formula: '' };
        inline.begin();
      }
      inline.open(name);
    },
    text: (text, name) => {
      if (cell === undefined) return;
      if (name === 'v') cell.value += text;
      if (name === 'f') cell.formula += text;
      inline.text(text, name);
    },
    close: (name) => {
      inline.close(name);
      if (name === 'c' && cell !== undefined) {
        const text = showCell(cell, inline.value, formats);
        if (text !== '') row.cells.push({ column: cell.column, text });
        cell = undefined;
      }
      if (name === 'row' && row.cells.length > 0) listener.row(row);
    },
  });
}

/** The column of a reference: 28 for `AB7`. */
function parseColumn(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase();
  if (letters === undefined) return undefined;
  return Buffer.from(letters).reduce((sum, code) => sum * 26 + code - 64, 0);
}

/** The letters of a column: `AB` for 28. */
function columnLetters(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest > 0 ? columnLetters(rest) : '') + String.fromCodePoint(65 + ((column - 1) % 26));
}

function parseNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function showCell(cell: OpenCell, inline: string, formats: CellFormats): string {
  const { type, value, formula } = cell;
  if (type === 'inlineStr') return inline;
  // A formula without a cached value was never calculated.
  if (value === '') return formula === '' ? inline : `=${formula}`;
  if (type === 's') return formats.sharedStrings[Number(value)] ?? missing('text');
  if (type === 'b') return /^(?:1|true)$/i.test(value) ? 'true' : 'false';
  if (type === 'str') return unescapeText(value);
  const number = Number(value);
  if (type !== 'n' || !Number.isFinite(number)) return value;
  return formats.numberFormats[cell.style]?.(number, formats) ?? String(number);
}
