/** Markdown as blocks that are rendered on their own: only the last one of a stream changes. */
export interface Blocks {
  text: string;
  /** Complete blocks, which do not change any more. */
  settled: readonly string[];
  /** The offset in the text where the last block starts. */
  settledLength: number;
  /** The last block, which may grow. */
  tail: string;
}

export const noBlocks: Blocks = { text: '', settled: [], settledLength: 0, tail: '' };

/** Characters after which a paragraph is cut, so that no block grows without bound. */
const LONG_PARAGRAPH = 600;

/**
 * The blocks of a text. A text that starts with the one of `before` parses only what was added. A block
 * ends at a blank line outside of a fence, unless the next line belongs to it.
 */
export function splitBlocks(text: string, before: Blocks = noBlocks): Blocks {
  const grown = text.length >= before.text.length && text.startsWith(before.text);
  const start = grown ? before : noBlocks;
  const settled = [...start.settled];
  let settledLength = start.settledLength;
  for (;;) {
    const end = blockEnd(text, settledLength);
    if (end === undefined) break;
    settled.push(copyOf(text.slice(settledLength, end)));
    settledLength = end;
  }
  const isSame = settled.length === start.settled.length;
  const tail = copyOf(text.slice(settledLength));
  return { text, settled: isSame ? start.settled : settled, settledLength, tail };
}

/**
 * A copy of a slice. V8 keeps the whole source of a slice in memory: without the copy, each block would keep the reply
 * as it was when the block was cut.
 */
function copyOf(slice: string): string {
  return structuredClone(slice);
}

/** The end of the block that starts at `start`; undefined while it may grow. */
function blockEnd(text: string, start: number): number | undefined {
  let at = start;
  let fence: string | undefined;
  let isBlank = false;
  let hasContent = false;
  let isList = false;
  for (;;) {
    const lineEnd = text.indexOf('\n', at);
    const line = lineEnd === -1 ? text.slice(at) : text.slice(at, lineEnd);
    if (fence !== undefined) {
      if (isClosing(line, fence) && lineEnd !== -1) return lineEnd + 1;
    } else {
      if (isBlank && hasContent && startsAnew(line, isList, lineEnd !== -1)) return at;
      const opened = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (opened !== undefined && !isList) {
        if (hasContent) return at;
        fence = opened;
      } else if (line.trim() !== '') {
        isList ||= !hasContent && isListItem(line);
      }
    }
    hasContent ||= line.trim() !== '';
    isBlank = line.trim() === '';
    if (lineEnd === -1)
      return isList || fence !== undefined ? undefined : cutParagraph(text, start);
    at = lineEnd + 1;
  }
}

function isClosing(line: string, fence: string): boolean {
  return new RegExp(`^ {0,3}${fence[0] === '`' ? '`' : '~'}{${fence.length},}\\s*$`).test(line);
}

/** Whether a line after a blank line starts a block; false while an incomplete line may belong to a list. */
function startsAnew(line: string, inList: boolean, isWhole: boolean): boolean {
  if (line.trim() === '') return false;
  if (/^\s/.test(line)) return false;
  return !(inList && (isListItem(line) || (!isWhole && /^(?:[-*+]|\d{1,9}[.)]?)$/.test(line))));
}

function isListItem(line: string): boolean {
  return /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(line);
}

/** The cut of a long paragraph of plain prose: a space where no mark is open. */
function cutParagraph(text: string, start: number): number | undefined {
  if (text.length - start < LONG_PARAGRAPH * 2) return undefined;
  const piece = text.slice(start, start + LONG_PARAGRAPH);
  const space = piece.lastIndexOf(' ');
  if (space < LONG_PARAGRAPH / 2) return undefined;
  const cut = piece.slice(0, space + 1);
  // A line that begins with a mark may be a table, a quote or a heading, which are not cut.
  return /[`*_[\]~<>|#$\n]/.test(cut) ? undefined : start + space + 1;
}

/** Whether a block is one paragraph without Markdown. */
export function isPlain(text: string): boolean {
  const words = text.trim();
  return !/[\\`*_[\]<>&#|~$\n@]|:\/\/|www\.|^(?:[-+=]|\d{1,9}[.)]\s)/i.test(words);
}

/** Whether a block continues the paragraph of the block before. */
export function continuesLine(before: string | undefined): boolean {
  return before !== undefined && before.endsWith(' ') && !before.includes('\n');
}
