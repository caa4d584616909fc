import { FileFault } from '../file-fault.js';
import { openArchive } from './open-archive.js';
import { parseXml } from './parse-xml.js';
import { parseRelations, type Parts } from './parse-relations.js';
import type { ExtractedText } from '../extracted-text.js';

const presentation = 'ppt/presentation.xml';
const isWanted = (name: string): boolean =>
  /^ppt\/(presentation|slides\/[^/]+|notesSlides\/[^/]+)\.xml$/.test(name) ||
  /^ppt\/(slides\/)?_rels\/[^/]+\.rels$/.test(name);

/** The text and notes of each slide under its number, in the order of the presentation. */
export async function extractPptx(content: Buffer): Promise<ExtractedText> {
  const parts = await openArchive(content, isWanted);
  const slides = listSlides(parts);
  if (slides.length === 0) throw new FileFault('is no presentation: it has no slides');
  const texts = slides.map((slide, index) => {
    const notes = parseRelations(parts, slide).find(({ type }) => type.endsWith('/notesSlide'));
    const lines = notes === undefined ? [] : parseParagraphs(parts, notes.target);
    const section = lines.length === 0 ? [] : ['Notes:', ...lines];
    return [`# Slide ${index + 1}`, ...parseParagraphs(parts, slide), ...section].join('\n');
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

/** Paragraphs of DrawingML: `a:p` with runs of `a:t`, without fields (a slide's number). */
function parseParagraphs(parts: Parts, part: string): string[] {
  const paragraphs: string[] = [];
  let text = '';
  let isField = false;
  parseXml(parts.get(part), {
    open: (name) => {
      if (name === 'a:fld') isField = true;
      if (name === 'a:br') text += '\n';
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
