import { FileFault, notRead, remark, type ExtractedText } from '../extraction-types.js';
import { openArchive, parseXml, parseRelations, type Parts } from './office-parts.js';

const presentation = 'ppt/presentation.xml';
const isWanted = (name: string): boolean =>
  /^ppt\/(presentation|commentAuthors|authors|(slides|notesSlides|comments)\/[^/]+)\.xml$/.test(
    name,
  ) || /^ppt\/(slides\/)?_rels\/[^/]+\.rels$/.test(name);

/**
 * The text, notes and comments of each slide under its number, in the order of the presentation; hidden slides
 * are marked.
 */
export async function extractPptx(content: Buffer): Promise<ExtractedText> {
  const parts = await openArchive(content, isWanted);
  const slides = listSlides(parts);
  if (slides.length === 0) throw new FileFault('is no presentation: it has no slides');
  const authors = parseAuthors(parts);
  const texts = slides.map((slide, index) => {
    const relations = parseRelations(parts, slide);
    const notes = relations.find(({ type }) => type.endsWith('/notesSlide'));
    const lines = notes === undefined ? [] : parseParagraphs(parts, notes.target);
    const section = lines.length === 0 ? [] : ['Notes:', ...lines];
    const comments = relations
      .filter(({ type }) => type.endsWith('/comments'))
      .flatMap(({ target }) => parseComments(parts.get(target), authors));
    const head = `# Slide ${index + 1}${isHidden(parts.get(slide)) ? ' (hidden)' : ''}`;
    return [head, ...parseParagraphs(parts, slide), ...section, ...comments].join('\n');
  });
  return { text: texts.join('\n\n'), via: 'text' };
}

/** Part names of the slides, in the order of the presentation. */
function listSlides(parts: Parts): string[] {
  const targets = new Map(
    parseRelations(parts, presentation).map(({ id, target }) => [id, target]),
  );
  const slides: string[] = [];
  parseXml(parts.get(presentation), {
    open: (name, attributes) => {
      const target = name === 'p:sldId' ? targets.get(attributes['r:id'] ?? '') : undefined;
      if (target !== undefined) slides.push(target);
    },
  });
  return slides;
}

function isHidden(slide: Buffer | undefined): boolean {
  let show = '1';
  parseXml(slide, {
    open: (name, attributes) => {
      if (name === 'p:sld') show = attributes['show'] ?? show;
    },
  });
  return show === '0' || show === 'false';
}

/** Names of who commented, by id: of comments as they were until 2019, and as they are since. */
function parseAuthors(parts: Parts): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const part of ['ppt/commentAuthors.xml', 'ppt/authors.xml']) {
    parseXml(parts.get(part), {
      open: (_name, { id = '', name = '' }) => {
        if (id !== '') names.set(id, name);
      },
    });
  }
  return names;
}

/** A line for each comment and each reply, in either form. */
function parseComments(part: Buffer | undefined, authors: ReadonlyMap<string, string>): string[] {
  const lines: string[] = [];
  let [author, text] = ['', ''];
  parseXml(part, {
    open: (name, { authorId = '' }) => {
      // A reply is inside of its comment, before the comment's own text.
      if (authorId !== '') author = authors.get(authorId) ?? '';
      if (/:(cm|reply)$/.test(name)) text = '';
    },
    text: (run, name) => {
      if (name === 'p:text' || name === 'a:t') text += run;
    },
    close: (name) => {
      if (!/:(text|txBody)$/.test(name)) return;
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
function parseParagraphs(parts: Parts, part: string): string[] {
  const paragraphs: string[] = [];
  let text = '';
  let isField = false;
  let isPicture = false;
  parseXml(parts.get(part), {
    open: (name, { descr = '', uri = '' }) => {
      if (name === 'a:fld') isField = true;
      if (name === 'a:br') text += '\n';
      if (name === 'p:pic') isPicture = true;
      if (name === 'p:cNvPr' && isPicture) {
        paragraphs.push(notRead('picture', descr));
        isPicture = false;
      }
      const kind = /\/(chart|diagram)$/.exec(uri)?.[1];
      if (name === 'a:graphicData' && kind !== undefined) paragraphs.push(notRead(kind));
    },
    text: (run, name) => {
      if (name === 'a:t' && !isField) text += run;
    },
    close: (name) => {
      if (name === 'a:fld') isField = false;
      if (name !== 'a:p') return;
      if (text.trim() !== '') paragraphs.push(text.trim());
      text = '';
    },
  });
  return paragraphs;
}
