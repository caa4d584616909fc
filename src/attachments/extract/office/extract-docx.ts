import JSZip from 'jszip';
import mammoth from 'mammoth';
import { missing, type ExtractedText } from '../extraction-types.js';
import { htmlToText } from '../text/extract-html.js';
import { OfficePackage, type Part } from './office-package.js';
import { parseXml, type XmlListener } from './parse-xml.js';
import { noNotes, writePlain, type Notes } from './plain-docx.js';

/** The parts that a main part has one of, and what each is called where it is missing. */
const companions = {
  styles: 'styles of headings',
  numbering: 'numbers of lists',
  comments: 'comments',
  footnotes: 'footnotes',
  endnotes: 'endnotes',
} as const;

type Companion = keyof typeof companions;

/**
 * Headings, paragraphs, lists and tables, between the headers and footers of its pages, and the comments behind.
 * Tracked insertions, deletions and moves are marked in place; a note stands for each picture.
 */
export async function extractDocx(content: Buffer): Promise<ExtractedText> {
  const archive = await OfficePackage.open(content);
  const main = archive.findMain('docx');
  if (main === undefined) throw new Error('Nothing says which part is the document');
  const { plain, margins, faults } = await writeDocument(archive, main);
  const { value } = await mammoth.convertToHtml(
    { buffer: plain },
    { styleMap: ['comment-reference => sup'] },
  );
  const sections = [
    faults.join('\n'),
    readMargins(archive, main, { kind: 'header', order: margins }).join('\n'),
    htmlToText(value),
    readMargins(archive, main, { kind: 'footer', order: margins }).join('\n'),
  ];
  return { text: sections.filter((text) => text !== '').join('\n\n'), via: 'text' };
}

interface PlainDocument {
  /** An archive with usual names: the converter knows relations of one form only, and takes other names for missing. */
  plain: Buffer;
  /** Ids of the relations to headers and footers, in the order of the pages. */
  margins: string[];
  /** A note on each part that is named and missing. */
  faults: string[];
}

async function writeDocument(archive: OfficePackage, main: Part): Promise<PlainDocument> {
  const faults: string[] = [];
  const plain = new JSZip();
  const add = (companion: Companion, notes: Notes): ReadonlySet<string> => {
    const relation = archive.relatedToMain(main, companion);
    if (relation === undefined) return new Set();
    if (relation.part === undefined) {
      faults.push(missing(companions[companion]));
      return new Set();
    }
    const { xml, ids } = writePlain(archive, relation.part, notes);
    if (xml !== '') plain.file(`word/${companion}.xml`, xml);
    return ids;
  };
  add('styles', noNotes);
  add('numbering', noNotes);
  const comments = add('comments', noNotes);
  const inNotes = { ...noNotes, comments };
  const notes = {
    comments,
    footnotes: add('footnotes', inNotes),
    endnotes: add('endnotes', inNotes),
  };
  const { xml, margins } = writePlain(archive, main, notes);
  plain.file('word/document.xml', xml);
  return { plain: await plain.generateAsync({ type: 'nodebuffer' }), margins, faults };
}

/** Distinct headers or footers: first, odd and even pages may have their own. */
function readMargins(
  archive: OfficePackage,
  main: Part,
  { kind, order }: { kind: 'header' | 'footer'; order: readonly string[] },
): string[] {
  const label = kind === 'header' ? 'Header' : 'Footer';
  const related = archive.related(main, kind);
  const place = (id: string): number => (order.includes(id) ? order.indexOf(id) : order.length);
  const texts = related
    .toSorted((one, other) => place(one.id) - place(other.id))
    .map(({ part }) => {
      if (part === undefined) return missing(label);
      const text = readParagraphs(archive, part).join(' / ');
      return text === '' ? '' : `[${label}: ${text}]`;
    });
  return [...new Set(texts)].filter((text) => text !== '');
}

function readParagraphs(archive: OfficePackage, part: Part): string[] {
  const paragraphs: string[] = [];
  let text = '';
  const end = (): void => {
    if (text.trim() !== '') paragraphs.push(text.trim());
    text = '';
  };
  const listener: XmlListener = {
    open: (name) => {
      if (name === 'w:tab' || name === 'w:br') text += ' ';
      // A text box is inside of a paragraph.
      if (name === 'w:p') end();
    },
    text: (run, name) => {
      if (name === 'w:t') text += run;
    },
    close: (name) => {
      if (name === 'w:p') end();
    },
  };
  parseXml(Buffer.from(writePlain(archive, part, noNotes).xml), listener);
  return paragraphs;
}
