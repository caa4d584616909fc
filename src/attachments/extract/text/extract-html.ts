import { convert, type FormatCallback } from 'html-to-text';
import { decode } from './extract-plain.js';
import type { ExtractedText } from '../extracted-text.js';

/** Characters of a page that are converted at most. */
const MOST_CHARS = 20_000_000;
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
/** Characters in which a page declares its encoding. */
const HEAD_CHARS = 2_048;

export async function extractHtml(content: Buffer): Promise<ExtractedText> {
  const head = content.subarray(0, HEAD_CHARS).toString('latin1');
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1];
  return { text: htmlToText(decode(content, declared)), via: 'text' };
}

/** The visible text of a page; nothing that it refers to is fetched. */
export function htmlToText(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: MOST_CHARS, maxDepth: 500, ellipsis: '…' },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...headings.map((selector) => ({ selector, format: selector })),
    ],
    formatters: Object.fromEntries(
      headings.map((selector, index) => [selector, headingOf(index + 1)]),
    ),
  });
}

/** Formats a heading of the level as Markdown. */
function headingOf(level: number): FormatCallback {
  return (element, walk, builder) => {
    builder.openBlock({ leadingLineBreaks: 2 });
    builder.addInline(`${'#'.repeat(level)} `);
    walk(element.children, builder);
    builder.closeBlock({ trailingLineBreaks: 2 });
  };
}
