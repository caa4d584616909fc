import mammoth from 'mammoth';
import { openArchive } from './open-archive.js';
import { parseXml } from './parse-xml.js';
import { htmlToText } from '../text/extract-html.js';
import type { ExtractedText } from '../extracted-text.js';

const isMargin = (name: string): boolean => /^word\/(header|footer)\d*\.xml$/.test(name);

/**
 * Headings, paragraphs, lists and tables, between the headers and footers of its pages; images are
 * left out.
 */
export async function extractDocx(content: Buffer): Promise<ExtractedText> {
  const margins = await openArchive(content, isMargin);
  const withoutImages = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml(
    { buffer: content },
    { convertImage: withoutImages },
  );
  const headers = parseMargins(margins, 'header').map((text) => `[Header: ${text}]`);
  const footers = parseMargins(margins, 'footer').map((text) => `[Footer: ${text}]`);
  const sections = [headers.join('\n'), htmlToText(value), footers.join('\n')];
  return { text: sections.filter((text) => text !== '').join('\n\n'), via: 'text' };
}

/** Distinct headers or footers: first, odd and even pages may have their own. */
function parseMargins(parts: ReadonlyMap<string, Buffer>, kind: 'header' | 'footer'): string[] {
  const names = [...parts.keys()].filter((name) => name.startsWith(`word/${kind}`)).toSorted();
  const texts = names.map((name) => parseParagraphs(parts.get(name)).join(' / '));
  return [...new Set(texts)].filter((text) => text !== '');
}

function parseParagraphs(part: Buffer | undefined): string[] {
  const paragraphs: string[] = [];
  let text = '';
  parseXml(part, {
    open: (name) => {
      if (name === 'w:tab' || name === 'w:br') text += ' ';
    },
    text: (run, name) => {
      if (name === 'w:t') text += run;
    },
    close: (name) => {
      if (name !== 'w:p') return;
      if (text.trim() !== '') paragraphs.push(text.trim());
      text = '';
    },
  });
  return paragraphs;
}
