import type { NumberFormat } from './number-format.js';
import { localName, parseXml } from './parse-xml.js';

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
  inline: string;
}

export interface SheetListener {
  /** Called for each run of hidden columns, numbered from 1, before the rows. */
  hiddenColumns(first: number, last: number): void;
  /** Called for each row that is not empty. */
  row(row: SheetRow): void;
}

/** Parses a sheet. A row or cell without a reference follows the one before. */
export function parseSheet(
  part: Buffer | undefined,
  formats: CellFormats,
  listener: SheetListener,
): void {
  let row: SheetRow = { row: 0, cells: [], isHidden: false };
  let column = 0;
  let cell: OpenCell | undefined;
  parseXml(part, {
    open: (qualified, attributes) => {
      const { r: reference = '', t: type = 'n', s: style = '0', hidden } = attributes;
      const name = localName(qualified);
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
      if (name === 'row' && row.cells.length > 0) listener.row(row);
    },
  });
}

/** The column of a reference: 28 for `AB7`. */
function parseColumn(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  return Buffer.from(letters).reduce((sum, code) => sum * 26 + code - 64, 0);
}

/** The letters of a column: `AB` for 28. */
export function columnLetters(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest > 0 ? columnLetters(rest) : '') + String.fromCodePoint(65 + ((column - 1) % 26));
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
  return formats.numberFormats[cell.style]?.(number, formats) ?? String(number);
}
