import { convert, type FormatCallback } from 'html-to-text';
import { decode } from './extract-plain.js';
import type { ExtractedText } from '../extraction-types.js';

/** Characters of a page that are converted at most. */
const MAX_CHARS = 20_000_000;
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
export async function extractHtml(content: Buffer): Promise<ExtractedText> {
  const { text, ...doubt } = decode(content);
  return { text: htmlToText(text), ...doubt, via: 'text' };
}

/**
 * The visible text of a page; nothing that it refers to is fetched.
 *
 * @param showImage the text in place of an image, by its attributes. Default: none.
 */
export function htmlToText(
  html: string,
  showImage: (attributes: Record<string, string>) => string = () => '',
): string {
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: MAX_CHARS, maxDepth: 500, ellipsis: '…' },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'picture' },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...headings.map((selector) => ({ selector, format: selector })),
    ],
    formatters: {
      ...Object.fromEntries(headings.map((selector, index) => [selector, headingOf(index + 1)])),
      picture: ({ attribs }, _walk, builder) => builder.addInline(showImage(attribs)),
    },
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
