import { missing, notRead } from '../extraction-types.js';
import { parsePart, type OfficePackage, type Part } from './office-package.js';

/** The targets of references, by id. */
export interface Notes {
  footnotes: ReadonlySet<string>;
  endnotes: ReadonlySet<string>;
  comments: ReadonlySet<string>;
}

export const noNotes: Notes = { footnotes: new Set(), endnotes: new Set(), comments: new Set() };

/** A part in the form that the converter reads. */
export interface PlainPart {
  xml: string;
  /** Ids of the notes or comments in it. */
  ids: Set<string>;
  /** Ids of the relations to headers and footers, in the order of the pages. */
  margins: string[];
}

type Attributes = Readonly<Record<string, string>>;

const namespaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
].join(' ');

/** The ways in which a text was changed, by element. */
const changes = new Map([
  ['w:ins', 'inserted'],
  ['w:del', 'deleted'],
  ['w:moveFrom', 'moved away'],
  ['w:moveTo', 'moved here'],
]);
/** Elements in which those mark a paragraph, a row or a cell, and hold no text. */
const properties = new Set(['w:rPr', 'w:trPr', 'w:tcPr', 'w:numPr', 'w:ctrlPr']);
/** Elements around text that the converter drops with what is in them. */
const wrappers = new Set(['w:fldSimple', 'w:dir', 'w:bdo', 'w:ruby', 'w:rubyBase']);
/** Elements with nothing to show: how a text is pronounced, how it looked before, code of a field that is gone. */
const isNothing = (name: string): boolean =>
  ['w:rt', 'w:rubyPr', 'w:delInstrText'].includes(name) || /^w:\w+Change$/.test(name);
/** Elements that hold drawings, in the present form or in the one of before 2010. */
const drawings = new Set(['w:drawing', 'w:pict', 'w:object']);
/** Elements that the converter knows by another name. */
const renamed = new Map([
  ['w:delText', 'w:t'],
  ['w:cr', 'w:br'],
  ['w:ptab', 'w:tab'],
]);
/** Elements whose text counts; white space between others does not. */
const texts = new Set(['w:t', 'w:delText', 'w:instrText']);
/** Elements that are referred to by an id, and those that refer to them. The lines between text and notes are no notes. */
const definitions = new Set(['w:footnote', 'w:endnote', 'w:comment']);
const references = new Map<string, readonly [keyof Notes, string]>([
  ['w:footnoteReference', ['footnotes', 'footnote']],
  ['w:endnoteReference', ['endnotes', 'endnote']],
  ['w:commentReference', ['comments', 'comment']],
]);
/** Text boxes are read from this form. */
const textBox = ['w:pict', 'v:textbox', 'w:txbxContent'];

/**
 * Writes a part of a text document anew, without what the converter would drop or fail at. Changes and pictures become
 * text, `[deleted by Bob: 100,000]`: the converter shows what was inserted as plain text, and drops what was deleted.
 * A note or comment that is referred to and missing is said in place of the reference.
 */
export function writePlain(archive: OfficePackage, part: Part, notes: Notes): PlainPart {
  const parts = archive.relationsOf(part).map((relation) => [relation.id, relation.part] as const);
  const writer = new PlainWriter(new Map(parts), notes);
  parsePart(part, writer);
  return { xml: writer.out.join(''), ids: writer.ids, margins: writer.margins };
}

class PlainWriter {
  readonly out: string[] = [];
  readonly ids = new Set<string>();
  readonly margins: string[] = [];
  /** For each open element, what closes it. */
  readonly #closings: string[] = [];
  readonly #open: string[] = [];
  /** Open elements of one that is left out. */
  #skipped = 0;
  /** The facts of each open drawing; undefined inside of its text boxes. */
  readonly #drawings: ({ described: string } | undefined)[] = [];

  constructor(
    private readonly parts: ReadonlyMap<string, Part | undefined>,
    private readonly notes: Notes,
  ) {}

  open(name: string, attributes: Attributes): void {
    const parent = this.#open.at(-1) ?? '';
    this.#open.push(name);
    if (this.#skipped > 0 || isNothing(name)) {
      this.#skipped += 1;
      return;
    }
    const [opening, closing] = this.#write(name, attributes, parent);
    this.out.push(opening);
    this.#closings.push(closing);
  }

  text(text: string, name: string): void {
    if (this.#skipped === 0 && this.#drawings.at(-1) === undefined && texts.has(name)) {
      this.out.push(escape(text));
    }
  }

  close(name: string): void {
    this.#open.pop();
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    if (drawings.has(name) || name === 'w:txbxContent') this.#drawings.pop();
    this.out.push(this.#closings.pop() ?? '');
  }

  /** The texts that open and close the element. */
  #write(name: string, attributes: Attributes, parent: string): [string, string] {
    if (name === 'w:txbxContent') {
      this.#drawings.push(undefined);
      return wrap(textBox);
    }
    if (drawings.has(name)) {
      this.#drawings.push({ described: '' });
      return ['', ''];
    }
    const drawing = this.#drawings.at(-1);
    if (drawing !== undefined) return [this.#describe(name, attributes, drawing), ''];
    if (wrappers.has(name)) return ['', ''];
    const change = changes.get(name);
    if (change !== undefined) {
      // The converter drops a row, and may drop a paragraph, that is marked so; its text has marks of its own.
      if (properties.has(parent)) return ['', ''];
      const author = attributes['w:author'] ?? '';
      return [run(`[${change}${author === '' ? '' : ` by ${author}`}: `), run(']')];
    }
    if (name === 'w:altChunk') return [`<w:p>${run(notRead('inserted document'))}</w:p>`, ''];
    this.#note(name, attributes);
    const [kind, word] = references.get(name) ?? [];
    if (
      kind !== undefined &&
      word !== undefined &&
      !this.notes[kind].has(attributes['w:id'] ?? '')
    ) {
      return [`<w:t>${missing(word)}</w:t>`, ''];
    }
    return element(renamed.get(name) ?? name, attributes, this.#open.length === 1);
  }

  #note(name: string, attributes: Attributes): void {
    const isLine = /separator$/i.test(attributes['w:type'] ?? '');
    if (definitions.has(name) && !isLine) this.ids.add(attributes['w:id'] ?? '');
    if (name === 'w:headerReference' || name === 'w:footerReference') {
      this.margins.push(attributes['r:id'] ?? '');
    }
  }

  /** A text in place of each picture, chart and diagram of a drawing. */
  #describe(name: string, attributes: Attributes, drawing: { described: string }): string {
    const { descr = '', title = '', uri = '' } = attributes;
    if (name === 'wp:docPr') drawing.described = descr.trim() === '' ? title : descr;
    if (name === 'pic:cNvPr' && drawing.described.trim() === '') drawing.described = descr;
    const kind = /\/(chart|diagram)(?:ex)?$/.exec(uri)?.[1];
    if (name === 'a:graphicData' && kind !== undefined)
      return text(notRead(kind, drawing.described));
    if (name === 'a:blip' && this.#open.includes('pic:pic')) {
      return text(this.#picture(attributes['r:embed'], drawing.described));
    }
    if (name !== 'v:imagedata') return '';
    return text(this.#picture(attributes['r:id'], attributes['o:title']));
  }

  #picture(id = '', described = ''): string {
    const isMissing = id !== '' && this.parts.get(id) === undefined;
    return isMissing ? missing('picture', described) : notRead('picture', described);
  }
}

function element(name: string, attributes: Attributes, isRoot: boolean): [string, string] {
  // Elements of other namespaces carry no text, and their prefixes are not declared.
  if (!/^w(?:14)?:/.test(name)) return ['', ''];
  const kept = Object.entries(attributes).filter(([key]) => /^w(?:14)?:/.test(key));
  const written = kept.map(([key, value]) => ` ${key}="${escape(value)}"`).join('');
  return [`<${name}${isRoot ? ` ${namespaces}` : ''}${written}>`, `</${name}>`];
}

const wrap = (names: readonly string[]): [string, string] => [
  names.map((name) => `<${name}>`).join(''),
  names
    .map((name) => `</${name}>`)
    .toReversed()
    .join(''),
];

const text = (value: string): string => `<w:t>${escape(value)}</w:t>`;
const run = (value: string): string => `<w:r>${text(value)}</w:r>`;

/** White space in an attribute would be read as blanks. */
const escape = (value: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;');
