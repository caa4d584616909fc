/** What a scan of a shell command is in the middle of. */
interface Scan {
  commands: string[][];
  words: string[];
  /** Undefined between words. */
  word: string | undefined;
  quote: string;
  /** What ends each command inside a command, and the quote that goes on after it. */
  open: { end: string; quote: string }[];
  /** The next word is where a redirection leads. */
  redirects: boolean;
}

/**
 * The simple commands in a shell command as well as it can be read, each as its words without
 * quotes: also those in `$(…)`, backticks, parentheses and on further lines. Redirections are left
 * out. For rules that forbid: what it finds may not run, and what runs may have another form.
 */
export function scanCommand(command: string): string[][] {
  const scan: Scan = {
    commands: [],
    words: [],
    word: undefined,
    quote: '',
    open: [],
    redirects: false,
  };
  for (let index = 0; index < command.length;) index += take(scan, command, index);
  endCommand(scan);
  return scan.commands;
}

/** @returns how many characters were taken. */
function take(scan: Scan, command: string, index: number): number {
  const character = command.charAt(index);
  const next = command.charAt(index + 1);
  if (scan.quote === "'") return takeQuoted(scan, character);
  if (character === '\\') {
    if (next !== '\n') scan.word = (scan.word ?? '') + next;
    return 2;
  }
  if (character === '`') return takeBacktick(scan);
  if (character === '$' && next === '(') return openInner(scan, ')') + 1;
  if (scan.quote === '"') return takeQuoted(scan, character);
  if (character === '$' && (next === "'" || next === '"')) return 1;
  if (character === '#' && scan.word === undefined) return commentLength(command, index);
  return takePlain(scan, command, index);
}

function takePlain(scan: Scan, command: string, index: number): number {
  const character = command.charAt(index);
  switch (character) {
    case "'":
    case '"':
      scan.quote = character;
      scan.word ??= '';
      return 1;
    case ' ':
    case '\t':
      endWord(scan);
      return 1;
    case ';':
    case '&':
    case '|':
    case '\n':
      endCommand(scan);
      return 1;
    case '(':
      return openInner(scan, ')');
    case ')':
      return closeInner(scan, ')');
    case '<':
    case '>':
      return takeRedirection(scan, command, index);
    default:
      scan.word = (scan.word ?? '') + character;
      return 1;
  }
}

function takeQuoted(scan: Scan, character: string): number {
  if (character === scan.quote) scan.quote = '';
  else scan.word = (scan.word ?? '') + character;
  return 1;
}

function takeBacktick(scan: Scan): number {
  return scan.open.at(-1)?.end === '`' ? closeInner(scan, '`') : openInner(scan, '`');
}

function takeRedirection(scan: Scan, command: string, index: number): number {
  // The number of a file is no word.
  if (/^\d+$/.test(scan.word ?? '')) scan.word = undefined;
  endWord(scan);
  scan.redirects = true;
  let length = 1;
  while (/[<>&|-]/.test(command.charAt(index + length))) length += 1;
  return length;
}

function openInner(scan: Scan, end: string): number {
  endCommand(scan);
  scan.open.push({ end, quote: scan.quote });
  scan.quote = '';
  return 1;
}

function closeInner(scan: Scan, end: string): number {
  endCommand(scan);
  if (scan.open.at(-1)?.end === end) scan.quote = scan.open.pop()?.quote ?? '';
  return 1;
}

function commentLength(command: string, index: number): number {
  const end = command.indexOf('\n', index);
  return (end === -1 ? command.length : end) - index;
}

function endWord(scan: Scan): void {
  if (scan.word === undefined) return;
  if (!scan.redirects) scan.words.push(scan.word);
  scan.redirects = false;
  scan.word = undefined;
}

function endCommand(scan: Scan): void {
  endWord(scan);
  scan.redirects = false;
  if (scan.words.length > 0) scan.commands.push(scan.words);
  scan.words = [];
}
