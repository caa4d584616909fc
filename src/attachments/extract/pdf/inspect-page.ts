import { OPS, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { remark } from '../extraction-types.js';

type Matrix = readonly [number, number, number, number, number, number];

const upright: Matrix = [1, 0, 0, 1, 0, 0];

const imageOps: ReadonlySet<number> = new Set([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
  OPS.paintImageXObjectRepeat,
  OPS.paintInlineImageXObjectGroup,
  OPS.paintImageMaskXObjectGroup,
  OPS.paintImageMaskXObjectRepeat,
]);
const glyphOps: ReadonlySet<number> = new Set([
  OPS.showText,
  OPS.showSpacedText,
  OPS.nextLineShowText,
  OPS.nextLineSetSpacingShowText,
]);

/** The text layer of a page, its annotations, and counts of what is painted where the text is short. */
export async function inspectPage(page: PDFPageProxy): Promise<PageFacts> {
  const notes = (await page.getAnnotations()).flatMap(describeAnnotation);
  const { items } = await page.getTextContent();
  const text = items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('');
  const letters = countLetters(text);
  if (letters >= MANY_LETTERS) {
    return { text, notes, letters, imageShare: 0, paths: 0, glyphs: letters };
  }
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const { imageArea, ...painted } = await findPainted(page);
  const area = Math.max(1, (right - left) * (top - bottom));
  return { text, notes, letters, imageShare: Math.min(1, imageArea / area), ...painted };
}

/** The parts of an annotation of PDF.js that are read; it declares them as `any`. */
interface Annotation {
  subtype?: string;
  fieldType?: string;
  fieldName?: string;
  alternativeText?: string;
  fieldValue?: unknown;
  exportValue?: string;
  buttonValue?: string;
  checkBox?: boolean;
  radioButton?: boolean;
  options?: { exportValue: string; displayValue: string }[];
  contentsObj?: { str: string };
  titleObj?: { str: string };
}

/** A line for an annotation that says something: no line for links and for buttons. */
function describeAnnotation(annotation: Annotation): string[] {
  const { subtype, contentsObj, titleObj } = annotation;
  if (subtype === 'Widget') return describeField(annotation);
  const text = contentsObj?.str.trim() ?? '';
  // A popup repeats the comment that opens it.
  if (text === '' || subtype === 'Link' || subtype === 'Popup') return [];
  return [remark('Comment', titleObj?.str ?? '', text)];
}

function describeField(field: Annotation): string[] {
  const { fieldName = '', alternativeText = '', fieldValue: value, options = [] } = field;
  const name = `"${alternativeText === '' ? fieldName : alternativeText}"`;
  const shown = (one: unknown): string =>
    options.find(({ exportValue }) => exportValue === one)?.displayValue ?? String(one);
  const values = (Array.isArray(value) ? value : [value])
    .filter((one) => one !== null && one !== undefined && one !== '')
    .map(shown);
  if (field.checkBox === true) {
    // A box without an appearance has no value of its own to be compared.
    const isOff = values.length === 0 || value === 'Off';
    const isChecked = !isOff && (field.exportValue ?? value) === value;
    return [`[Check box ${name}: ${isChecked ? 'checked' : 'not checked'}]`];
  }
  if (field.radioButton === true) {
    // The buttons of a group share its name and value.
    return value === field.buttonValue ? [`[Choice ${name}: ${values.join(', ')}]`] : [];
  }
  if (field.fieldType === 'Sig') return [`[Signature field ${name}, not read]`];
  if (field.fieldType === 'Btn') return [];
  const kind = field.fieldType === 'Ch' ? 'Choice' : 'Form field';
  return [`[${kind} ${name}: ${values.length === 0 ? 'empty' : values.join(', ')}]`];
}

export function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

async function findPainted(
  page: PDFPageProxy,
): Promise<{ imageArea: number; paths: number; glyphs: number }> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const saved: Matrix[] = [];
  const painted = { imageArea: 0, paths: 0, glyphs: 0 };
  let matrix = upright;
  for (const [index, operator] of fnArray.entries()) {
    const args: unknown = argsArray[index];
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push(matrix);
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) {
      matrix = saved.pop() ?? upright;
    }
    if (operator === OPS.transform) matrix = multiply(matrix, toMatrix(args));
    if (operator === OPS.paintFormXObjectBegin && Array.isArray(args)) {
      matrix = multiply(matrix, toMatrix(args[0]));
    }
    if (imageOps.has(operator)) painted.imageArea += areaOf(matrix);
    if (operator === OPS.constructPath) painted.paths += 1;
    if (glyphOps.has(operator)) painted.glyphs += 1;
  }
  return painted;
}

/**
 * The area of the unit square, which an image fills, under the matrix; an image without an area
 * counts as 1.
 */
function areaOf([a, b, c, d]: Matrix): number {
  return Math.max(1, Math.abs(a * d - b * c));
}

function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [
    a * g + c * h,
    b * g + d * h,
    a * i + c * j,
    b * i + d * j,
    a * k + c * l + e,
    b * k + d * l + f,
  ];
}

function toMatrix(args: unknown): Matrix {
  if (!isList(args)) return upright;
  const [a, b, c, d, e, f] = args;
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
}

function isList(args: unknown): args is ArrayLike<number> & Iterable<number> {
  return Array.isArray(args) || ArrayBuffer.isView(args);
}

/** Facts about a page that are known without OCR. */
export interface PageFacts {
  /** The text layer. */
  text: string;
  /** A line for each field of a form and each annotation, which are no part of the text layer. */
  notes: string[];
  /** Letters and digits of the text layer. */
  letters: number;
  /** Share of the page's area that images cover, from 0 to 1. */
  imageShare: number;
  /** Number of painted paths. */
  paths: number;
  /** Number of painted glyph runs. */
  glyphs: number;
}

/** Letters below which the text layer may be a page number, or a scanner's stamp. */
const FEW_LETTERS = 8;
/**
 * Letters from which the text layer is the page's text, also beside a picture: a searchable scan
 * has as many.
 */
const MANY_LETTERS = 200;
/** Share of the page from which an image is a scan of it. */
const SCAN_SHARE = 0.5;
/** Paths from which letters are drawn as outlines: lines and backgrounds are fewer. */
const OUTLINE_PATHS = 50;

/** Whether a page's text is in its picture, where only OCR finds it. Pure. */
export function needsOcr({ letters, imageShare, paths, glyphs }: PageFacts): boolean {
  if (letters >= MANY_LETTERS) return false;
  if (imageShare >= SCAN_SHARE) return true;
  if (letters >= FEW_LETTERS) return false;
  // Glyphs are painted, and the file has no mapping from them to letters.
  const isUnmapped = letters === 0 && glyphs > 0;
  return imageShare > 0 || paths >= OUTLINE_PATHS || isUnmapped;
}
