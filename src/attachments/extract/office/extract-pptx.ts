import {
  FileFault,
  missing,
  notRead,
  remark,
  type ExtractedText,
  type ExtractionBudget,
} from '../extraction-types.js';
import { OfficePackage, parsePart, type Part, type Relation } from './office-package.js';

/**
 * The text, notes and comments of each slide under its number, in the order of the presentation; hidden slides
 * are marked. Slides after `maxChars` are left out.
 *
 * @throws FileFault when it is no presentation.
 */
export async function extractPptx(
  content: Buffer,
  { maxChars }: Pick<ExtractionBudget, 'maxChars'>,
): Promise<ExtractedText> {
  const archive = await OfficePackage.open(content);
  const main = archive.findMain('pptx');
  const slides = main === undefined ? [] : listSlides(archive, main);
  if (main === undefined || slides.length === 0) {
    throw new FileFault('is no presentation: it has no slides');
  }
  const authors = parseAuthors(archive, main);
  const texts: string[] = [];
  let length = 0;
  const done = new Set<Part>();
  for (const [index, slide] of slides.entries()) {
    if (length > maxChars) return { text: texts.join('\n\n'), via: 'text', isPartial: true };
    const hidden = slide !== undefined && isHidden(slide) ? ' (hidden)' : '';
    const lines = [`# Slide ${index + 1}${hidden}`];
    if (slide === undefined) lines.push(missing('slide'));
    // A part is read once, however often a damaged presentation names it.
    else if (done.has(slide)) lines.push('[slide, the same as one above]');
    else {
      lines.push(...readSlide(archive, slide, authors));
      done.add(slide);
    }
    const text = lines.join('\n');
    texts.push(text);
    length += text.length;
  }
  return { text: texts.join('\n\n'), via: 'text' };
}

/** The slides in the order of the presentation; undefined for one that it names and does not have. */
function listSlides(archive: OfficePackage, main: Part): (Part | undefined)[] {
  const parts = new Map(archive.relationsOf(main).map(({ id, part }) => [id, part]));
  const slides: (Part | undefined)[] = [];
  parsePart(main, {
    open: (name, { 'r:id': id = '' }) => {
      if (name === 'p:sldId') slides.push(parts.get(id));
    },
  });
  return slides;
}

function isHidden(slide: Part): boolean {
  let show = '1';
  parsePart(slide, {
    open: (name, attributes) => {
      if (name === 'p:sld') show = attributes['show'] ?? show;
    },
  });
  return show === '0' || show === 'false';
}

function readSlide(
  archive: OfficePackage,
  slide: Part,
  authors: ReadonlyMap<string, string>,
): string[] {
  const notes = archive.related(slide, 'notesSlide').flatMap(({ part }) => {
    return part === undefined ? [missing('notes')] : parseParagraphs(archive, part);
  });
  return [
    ...parseParagraphs(archive, slide),
    ...(notes.length === 0 ? [] : ['Notes:', ...notes]),
    ...archive.related(slide, 'comments').flatMap((comments) => parseComments(comments, authors)),
  ];
}

/** Names of who commented, by id: of comments as they were until 2019, and as they are since. */
function parseAuthors(archive: OfficePackage, main: Part): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const type of ['commentAuthors', 'authors']) {
    parsePart(archive.relatedToMain(main, type)?.part, {
      open: (_name, { id = '', name = '' }) => {
        if (id !== '') names.set(id, name);
      },
    });
  }
  return names;
}

/** A line for each comment and each reply, in either form. */
function parseComments({ part }: Relation, authors: ReadonlyMap<string, string>): string[] {
  if (part === undefined) return [missing('comments')];
  const lines: string[] = [];
  let [author, text] = ['', ''];
  parsePart(part, {
    open: (name, { authorId = '' }) => {
      // A reply is inside of its comment, before the comment's own text.
      if (authorId !== '') author = authors.get(authorId) ?? '';
      if (/(?:^|:)(?:cm|reply)$/.test(name)) text = '';
    },
    text: (run, name) => {
      if (name === 'p:text' || name === 'a:t') text += run;
    },
    close: (name) => {
      if (!/(?:^|:)(?:text|txBody)$/.test(name)) return;
      if (text.trim() !== '') lines.push(remark('Comment', author, text.trim()));
      text = '';
    },
  });
  return lines;
}

/**
 * Paragraphs of DrawingML: `a:p` with runs of `a:t`, without fields (a slide's number). A note stands for each
 * picture, chart and diagram.
 */
function parseParagraphs(archive: OfficePackage, part: Part): string[] {
  const parts = new Map(archive.relationsOf(part).map((relation) => [relation.id, relation.part]));
  const paragraphs: string[] = [];
  let text = '';
  let isField = false;
  let picture: { described: string; isMissing: boolean } | undefined;
  parsePart(part, {
    open: (name, attributes) => {
      if (name === 'a:fld') isField = true;
      if (name === 'a:br') text += '\n';
      if (name === 'p:pic') picture = { described: '', isMissing: false };
      if (name === 'p:contentPart') paragraphs.push(notRead('drawing'));
      if (picture !== undefined && name === 'p:cNvPr')
        picture.described = attributes['descr'] ?? '';
      if (picture !== undefined && name === 'a:blip') {
        const id = attributes['r:embed'] ?? '';
        picture.isMissing = id !== '' && parts.get(id) === undefined;
      }
      const kind = /\/(chart|diagram)(?:ex)?$/.exec(attributes['uri'] ?? '')?.[1];
      if (name === 'a:graphicData' && kind !== undefined) paragraphs.push(notRead(kind));
    },
    text: (run, name) => {
      if (name === 'a:t' && !isField) text += run;
    },
    close: (name) => {
      if (name === 'a:fld') isField = false;
      if (name === 'p:pic' && picture !== undefined) {
        const note = picture.isMissing ? missing : notRead;
        paragraphs.push(note('picture', picture.described));
        picture = undefined;
      }
      if (name !== 'a:p') return;
      if (text.trim() !== '') paragraphs.push(text.trim());
      text = '';
    },
  });
  return paragraphs;
}
