import { parseXml } from './parse-xml.js';
import { localName } from './parse-date-styles.js';

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
}

export interface CellFormats {
  sharedStrings: readonly string[];
  /** Whether a style shows dates, by its number. */
  dateStyles: readonly boolean[];
  /** Whether days are counted from 1904. */
  is1904: boolean;
}

interface OpenCell {
  column: number;
  type: string;
  style: number;
  value: string;
  formula: string;
  inline: string;
}

const DAY_MS = 86_400_000;
/** Days from a workbook's epoch to 1970. */
const EPOCH_DAYS = 25_569;
const DAYS_1904 = 1_462;
/** Serial of 29 February 1900, a day that the format has and the calendar has not. */
const LEAP_BUG_DAY = 60;

/**
 * Calls `onRow` for each row that is not empty. A row or cell without a reference follows the one
 * before.
 */
export function parseSheet(
  part: Buffer | undefined,
  formats: CellFormats,
  onRow: (row: SheetRow) => void,
): void {
  let row: SheetRow = { row: 0, cells: [] };
  let column = 0;
  let cell: OpenCell | undefined;
  parseXml(part, {
    open: (qualified, { r: reference = '', t: type = 'n', s: style = '0' }) => {
      const name = localName(qualified);
      if (name === 'row') {
        row = { row: parseNumber(reference) ?? row.row + 1, cells: [] };
        column = 0;
      }
      if (name === 'c') {
        column = parseColumn(reference) ?? column + 1;
        cell = { column, type, style: Number(style), value: '', formula: '', inline: '' };
      }
    },
    text: (text, qualified) => {
      const name = localName(qualified);
      if (cell === undefined) return;
      if (name === 'v') cell.value += text;
      if (name === 'f') cell.formula += text;
      if (name === 't') cell.inline += text;
    },
    close: (qualified) => {
      const name = localName(qualified);
      if (name === 'c' && cell !== undefined) {
        const text = showCell(cell, formats);
        if (text !== '') row.cells.push({ column: cell.column, text });
        cell = undefined;
      }
      if (name === 'row' && row.cells.length > 0) onRow(row);
    },
  });
}

/** The column of a reference: 28 for `AB7`. */
function parseColumn(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  return Buffer.from(letters).reduce((sum, code) => sum * 26 + code - 64, 0);
}

function parseNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function showCell(cell: OpenCell, formats: CellFormats): string {
  const { type, value, inline, formula } = cell;
  if (type === 'inlineStr') return inline;
  // A formula without a cached value was never calculated.
  if (value === '') return formula === '' ? inline : `=${formula}`;
  if (type === 's') return formats.sharedStrings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'true' : 'false';
  const number = Number(value);
  if (type !== 'n' || !Number.isFinite(number)) return value;
  return formats.dateStyles[cell.style] === true ? showDate(number, formats) : String(number);
}

function showDate(serial: number, { is1904 }: CellFormats): string {
  const days = is1904 ? serial + DAYS_1904 : serial + (serial < LEAP_BUG_DAY ? 1 : 0);
  const date = new Date(Math.round((days - EPOCH_DAYS) * DAY_MS));
  // A serial outside of the calendar stays a number.
  if (Number.isNaN(date.getTime())) return String(serial);
  const text = date.toISOString();
  if (serial < 1) return text.slice('1900-01-01T'.length, -'.000Z'.length);
  return text.replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
}
