import {
  format,
  getFormatDateInfo,
  getFormatFromId,
  getFormatInfo,
  isValidFormat,
  TOKEN_CHAR,
  TOKEN_CURRENCY,
  TOKEN_ESCAPED,
  TOKEN_LOCALE,
  TOKEN_STRING,
  tokenize,
} from 'numfmt';
import { parsePart, type Part } from './office-package.js';

/** Serials below this are lengths of time in a cell whose format shows no day: a year after the epoch. */
const FIRST_DATE = 366;
/** Days between the epochs of 1900 and 1904. */
const DAYS_1904 = 1_462;
/** Significant digits of a number that a workbook stores. */
const DIGITS = 15;
/** Tokens of a format that carry meaning of their own: a currency, a unit, a word. */
const wordTokens: ReadonlySet<string> = new Set([
  TOKEN_CHAR,
  TOKEN_CURRENCY,
  TOKEN_ESCAPED,
  TOKEN_LOCALE,
  TOKEN_STRING,
]);

/** Writes the number of a cell as its format means it. */
export type NumberFormat = (value: number, epoch: { is1904: boolean }) => string;

const general: NumberFormat = (value) => String(value);

/** The number format of each style, by the style's number. */
export function parseNumberFormats(part: Part | undefined): NumberFormat[] {
  const own = new Map<number, string>();
  const made = new Map<number, NumberFormat>();
  const styles: NumberFormat[] = [];
  // The formats of conditional styles are no formats of cells.
  let list = '';
  parsePart(part, {
    open: (name, attributes) => {
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmts' || name === 'cellXfs') list = name;
      if (name === 'numFmt' && list === 'numFmts') own.set(id, attributes['formatCode'] ?? '');
      if (name !== 'xf' || list !== 'cellXfs') return;
      const known = made.get(id) ?? toNumberFormat(own.get(id) ?? getFormatFromId(id) ?? '');
      made.set(id, known);
      styles.push(known);
    },
    close: (name) => {
      if (name === list) list = '';
    },
  });
  return styles;
}

/**
 * Dates and times are written in ISO form, without a zone: a workbook has none. Percentages keep all digits.
 * A currency, a unit or leading zeros are written as the cell shows them, with the stored number behind where
 * the format rounds it. Any other number, and one with a format that cannot be read, is written as it is stored.
 */
function toNumberFormat(code: string): NumberFormat {
  // Without its locale, `[$€-407]` writes a decimal point.
  const plain = code.replace(/\[\$([^\]-]*)-[^\]]*\]/g, (_all, sign: string) =>
    sign === '' ? '' : `[$${sign}]`,
  );
  if (!isValidFormat(plain)) return general;
  const { isDate, isPercent, isText, maxDecimals, scale } = getFormatInfo(plain);
  if (isDate) return toDateFormat(plain);
  if (isPercent) return (value) => `${exact(value * 100)}%`;
  if (isText || !hasWords(plain)) return general;
  return (value) => {
    const shown = format(plain, value).replace(/\s+/g, ' ').trim();
    const isExact = scale === 1 && exact(value) === exact(Number(value.toFixed(maxDecimals)));
    return isExact ? shown : `${shown} (${value})`;
  };
}

const exact = (value: number): string => String(Number(value.toPrecision(DIGITS)));

function hasWords(code: string): boolean {
  const isWord = ({ type, value }: { type: string; value: string }): boolean =>
    wordTokens.has(type) && value.trim() !== '';
  return tokenize(code).some(isWord) || /^0{2,}/.test(code);
}

function toDateFormat(code: string): NumberFormat {
  const { year, month, day, seconds } = getFormatDateInfo(code);
  const showsDay = year || month || day;
  const isLength = /\[(h+|m+|s+)\]/i.test(code);
  return (value, { is1904 }) => {
    const second = Math.round(value * 86_400);
    if (isLength || (!showsDay && value >= 1 && value < FIRST_DATE)) {
      const keepsAll = isLength && (seconds || second % 60 === 0);
      return format(keepsAll ? code : '[h]:mm:ss', value);
    }
    if (value < 0) return String(value);
    if (value < 1) return format('hh:mm:ss', value);
    const isMidnight = second % 86_400 === 0;
    return format(
      isMidnight ? 'yyyy-mm-dd' : 'yyyy-mm-dd"T"hh:mm:ss',
      value + (is1904 ? DAYS_1904 : 0),
    );
  };
}
