import { missing, notRead, remark } from '../extraction-types.js';
import { parsePart, type OfficePackage, type Part, type Relation } from './office-package.js';

export interface Sheet {
  name: string;
  /** Undefined when the workbook names the sheet and does not have it. */
  part: Part | undefined;
  isHidden: boolean;
}

export interface Workbook {
  sheets: Sheet[];
  /** Whether days are counted from 1904. */
  is1904: boolean;
}

export function parseWorkbook(archive: OfficePackage, main: Part): Workbook {
  const parts = new Map(archive.relationsOf(main).map(({ id, part }) => [id, part]));
  const sheets: Sheet[] = [];
  let is1904 = false;
  parsePart(main, {
    open: (name, attributes) => {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/i.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const { name: title = '', state = 'visible', 'r:id': id = '' } = attributes;
      const isHidden = state !== 'visible';
      sheets.push({ name: unescapeText(title), part: parts.get(id), isHidden });
    },
  });
  return { sheets, is1904 };
}

/** The texts that cells refer to by number. */
export function parseSharedStrings(part: Part | undefined): string[] {
  const strings: string[] = [];
  const reader = new TextReader();
  parsePart(part, {
    open: (name) => {
      if (name === 'si') reader.begin();
      reader.open(name);
    },
    text: (run, name) => reader.text(run, name),
    close: (name) => {
      reader.close(name);
      if (name === 'si') strings.push(reader.value);
    },
  });
  return strings;
}

/** Collects a text from its runs. Phonetic runs, as furigana, are no part of the text. */
export class TextReader {
  #text = '';
  #isPhonetic = false;

  get value(): string {
    return unescapeText(this.#text);
  }

  begin(): void {
    this.#text = '';
    this.#isPhonetic = false;
  }

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true;
  }

  text(run: string, name: string): void {
    if (name === 't' && !this.#isPhonetic) this.#text += run;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
  }
}

/** Workbooks write characters that XML does not have by their code: `_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\dA-F]{4})_/gi, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** A line for each note on a cell of the sheet, and one for its drawings. */
export function describeSheet(archive: OfficePackage, sheet: Part): string[] {
  const notes = archive.related(sheet, 'comments');
  const drawings = archive.related(sheet, 'drawing').flatMap(describeDrawing);
  return [...notes.flatMap(parseNotes), ...new Set(drawings)];
}

/** Some programs give each sheet a drawing, with nothing in it. */
function describeDrawing({ part }: Relation): string[] {
  const kind = 'drawing or chart';
  if (part === undefined) return [missing(kind)];
  let isEmpty = true;
  parsePart(part, {
    open: (name) => {
      if (/(?:oneCell|twoCell|absolute)Anchor$/.test(name)) isEmpty = false;
    },
  });
  return isEmpty ? [] : [notRead(kind)];
}

function parseNotes({ part }: Relation): string[] {
  if (part === undefined) return [missing('notes on cells')];
  const notes: string[] = [];
  const authors: string[] = [];
  const reader = new TextReader();
  let [writer, cell, author] = ['', '', ''];
  parsePart(part, {
    open: (name, attributes) => {
      if (name === 'author') writer = '';
      reader.open(name);
      if (name !== 'comment') return;
      reader.begin();
      cell = attributes['ref'] ?? '';
      author = authors[Number(attributes['authorId'])] ?? '';
    },
    text: (run, name) => {
      if (name === 'author') writer += run;
      reader.text(run, name);
    },
    close: (name) => {
      reader.close(name);
      if (name === 'author') authors.push(unescapeText(writer));
      if (name === 'comment') notes.push(remark(`Note on ${cell}`, author, reader.value.trim()));
    },
  });
  return notes;
}
