import { SaxesParser } from 'saxes';
import { FileFault } from './file-fault.js';
import { openArchive } from './open-archive.js';
import type { TextFound } from './text-found.js';

const slide = /^ppt\/slides\/slide(\d+)\.xml$/;
const notes = /^ppt\/notesSlides\/notesSlide(\d+)\.xml$/;
/** Of elements inside each other: more is an attack. */
const MOST_DEPTH = 200;

/** The text of each slide under its number, and its notes. */
export async function readPptx(content: Buffer): Promise<TextFound> {
  const parts = await openArchive(content, (name) => slide.test(name) || notes.test(name));
  const slides = [...parts.keys()]
    .flatMap((name) => slide.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  if (slides.length === 0) throw new FileFault('is no presentation: it has no slides');
  const texts = slides.map((number) => {
    const shown = readParagraphs(parts.get(`ppt/slides/slide${number}.xml`));
    const said = readParagraphs(parts.get(`ppt/notesSlides/notesSlide${number}.xml`));
    const spoken = said.length === 0 ? [] : ['Notes:', ...said];
    return [`# Slide ${number}`, ...shown, ...spoken].join('\n');
  });
  return { text: texts.join('\n\n'), via: 'text' };
}

/** Paragraphs of DrawingML: `a:p` with runs of `a:t`; fields (a slide's number) say nothing. */
function readParagraphs(part: Buffer | undefined): string[] {
  if (part === undefined) return [];
  const paragraphs: string[] = [];
  let depth = 0;
  let text = '';
  let isText = false;
  let isField = false;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new FileFault(`is damaged: ${error.message}`);
  });
  parser.on('opentag', ({ name }) => {
    depth += 1;
    if (depth > MOST_DEPTH) throw new FileFault('is damaged: its elements are too deep');
    if (name === 'a:fld') isField = true;
    if (name === 'a:t') isText = !isField;
    if (name === 'a:br') text += '\n';
  });
  parser.on('text', (run) => {
    if (isText) text += run;
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    if (name === 'a:t') isText = false;
    if (name === 'a:fld') isField = false;
    if (name !== 'a:p') return;
    if (text.trim() !== '') paragraphs.push(text.trim());
    text = '';
  });
  parser.write(part.toString('utf8')).close();
  return paragraphs;
}
