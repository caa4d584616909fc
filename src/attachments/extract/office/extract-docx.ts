import JSZip from 'jszip';
import mammoth from 'mammoth';
import { openArchive, parseXml } from './office-parts.js';
import { htmlToText } from '../text/extract-html.js';
import { notRead, type ExtractedText } from '../extraction-types.js';

const BODY = 'word/document.xml';
const isMargin = (name: string): boolean => /^word\/(header|footer)\d*\.xml$/.test(name);

/**
 * Headings, paragraphs, lists and tables, between the headers and footers of its pages, and the comments behind.
 * Tracked insertions, deletions and moves are marked in place; a note stands for each picture.
 */
export async function extractDocx(content: Buffer): Promise<ExtractedText> {
  const parts = await openArchive(content, (name) => isMargin(name) || name === BODY);
  const margins = new Map([...parts].filter(([name]) => isMargin(name)));
  const withoutImages = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml(
    { buffer: await markChanges(content, parts.get(BODY)?.toString('utf8') ?? '') },
    { convertImage: withoutImages, styleMap: ['comment-reference => sup'] },
  );
  const headers = parseMargins(margins, 'header').map((text) => `[Header: ${text}]`);
  const footers = parseMargins(margins, 'footer').map((text) => `[Footer: ${text}]`);
  const sections = [
    headers.join('\n'),
    htmlToText(value, ({ alt = '' }) => notRead('picture', alt)),
    footers.join('\n'),
  ];
  return { text: sections.filter((text) => text !== '').join('\n\n'), via: 'text' };
}

const changes: Readonly<Record<string, string>> = {
  ins: 'inserted',
  del: 'deleted',
  moveFrom: 'moved away',
  moveTo: 'moved here',
};

/**
 * The document with each tracked change written as text: `[deleted by Bob: 100,000]`. The converter knows no
 * changes: it shows what was inserted as plain text, and drops what was deleted.
 */
async function markChanges(content: Buffer, body: string): Promise<Buffer> {
  const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const marked = body
    .replace(/<w:(ins|del|moveFrom|moveTo)(\s[^>]*[^/>])?>/g, (_tag, kind: string, rest = '') => {
      const author = /\bw:author="([^"]*)"/.exec(String(rest))?.[1];
      return run(`[${changes[kind]}${author === undefined ? '' : ` by ${author}`}: `);
    })
    .replace(/<\/w:(?:ins|del|moveFrom|moveTo)>/g, run(']'))
    .replace(/(<\/?w:)delText\b/g, '$1t');
  if (marked === body) return content;
  const archive = await JSZip.loadAsync(content);
  archive.file(BODY, marked);
  return archive.generateAsync({ type: 'nodebuffer' });
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
