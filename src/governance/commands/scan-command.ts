import { readEscape } from './ansi-quotes.js';
import { HOLE, expandBraces, unquoted, withoutMarks } from './shell-marks.js';

/** A simple command. */
export interface ScannedCommand {
  /** Without quotes, with the marks of `shell-marks.ts`. */
  words: string[];
  /** What it reads as its input, where the command says so: `<<< text`. */
  input?: string;
  /** Its input is a here-document. */
  hasDocument?: boolean;
}

/** A command, and the word of it that is being read. */
interface Reading {
  command: ScannedCommand;
  /** Undefined between words. */
  word: string | undefined;
  /** The next word is where a redirection leads, or what is read. */
  redirects: '' | 'file' | 'text';
}

/** What a scan of a shell command is in the middle of. */
interface Scan extends Reading {
  commands: ScannedCommand[];
  quote: '' | "'" | '"' | '$';
  /** What ends each command inside a command, and what goes on after it. */
  open: { end: string; quote: Scan['quote']; outer: Reading | undefined }[];
}

/** What is put in for a program that reads another one's output as a file. */
const PIPE_FILE = `/dev/fd/${HOLE}`;

/**
 * The simple commands in a shell command as well as it can be read: also those in `$(…)`, backticks,
 * parentheses and on further lines. Where redirections lead is left out. For rules that forbid: what
 * it finds may not run, and what runs may have another form.
 */
export function scanCommand(command: string): ScannedCommand[] {
  const scan: Scan = { ...newReading(), commands: [], quote: '', open: [] };
  const text = withoutMarks(command);
  for (let index = 0; index < text.length;) index += take(scan, text, index);
  endCommand(scan);
  for (const { outer } of scan.open.toReversed()) {
    if (outer === undefined) continue;
    Object.assign(scan, outer);
    endCommand(scan);
  }
  return scan.commands;
}

function newReading(): Reading {
  return { command: { words: [] }, word: undefined, redirects: '' };
}

/** @returns how many characters were taken. */
function take(scan: Scan, text: string, index: number): number {
  const character = text.charAt(index);
  const next = text.charAt(index + 1);
  if (scan.quote === "'") return takeQuoted(scan, character);
  if (scan.quote === '$') return takeAnsi(scan, text, index);
  if (character === '\\') return takeEscaped(scan, next);
  if (character === '`') return takeBacktick(scan);
  if (character === '$') return takeDollar(scan, text, index);
  if (scan.quote === '"') return takeQuoted(scan, character);
  if (character === '#' && mayComment(scan)) return commentLength(text, index);
  return takePlain(scan, text, index);
}

function takePlain(scan: Scan, text: string, index: number): number {
  const character = text.charAt(index);
  switch (character) {
    case "'":
    case '"':
      scan.quote = character;
      return addTo(scan, '', 1);
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
      endCommand(scan);
      return openInner(scan, { end: ')', outer: undefined }, 1);
    case ')':
      return closeInner(scan, ')');
    case '}':
      if (isInBraces(scan)) return closeInner(scan, '}');
      return addTo(scan, unquoted(character), 1);
    case '<':
    case '>':
      if (isInBraces(scan)) return addTo(scan, character, 1);
      return takeRedirection(scan, text, index);
    default:
      return addTo(scan, unquoted(character), 1);
  }
}

function takeQuoted(scan: Scan, character: string): number {
  if (character !== scan.quote) return addTo(scan, character, 1);
  scan.quote = '';
  return 1;
}

function takeAnsi(scan: Scan, text: string, index: number): number {
  if (text.charAt(index) !== '\\') return takeAnsiPlain(scan, text.charAt(index));
  const { character, length } = readEscape(text.slice(index + 1, index + 10));
  return addTo(scan, character, length + 1);
}

function takeAnsiPlain(scan: Scan, character: string): number {
  if (character !== "'") return addTo(scan, character, 1);
  scan.quote = '';
  return 1;
}

function takeEscaped(scan: Scan, next: string): number {
  if (next === '\n') return 2;
  const isKept = scan.quote === '"' && !'$`"\\'.includes(next);
  return addTo(scan, isKept ? `\\${next}` : next, 2);
}

function takeDollar(scan: Scan, text: string, index: number): number {
  const next = text.charAt(index + 1);
  if (next === '(') return openInner(scan, { end: ')', outer: outerOf(scan, HOLE) }, 2);
  if (scan.quote === '' && next === "'") {
    scan.quote = '$';
    return addTo(scan, '', 2);
  }
  if (scan.quote === '' && next === '"') return 1;
  // What is inside may have commands.
  if (next === '{') return openInner(scan, { end: '}', outer: outerOf(scan, HOLE) }, 2);
  const name = /^(?:\w+|[@*#?!$-])/.exec(text.slice(index + 1, index + 200))?.[0];
  return name === undefined ? addTo(scan, '$', 1) : addTo(scan, HOLE, name.length + 1);
}

function takeBacktick(scan: Scan): number {
  if (scan.open.at(-1)?.end === '`') return closeInner(scan, '`');
  return openInner(scan, { end: '`', outer: outerOf(scan, HOLE) }, 1);
}

function takeRedirection(scan: Scan, text: string, index: number): number {
  if (text.charAt(index + 1) === '(') {
    return openInner(scan, { end: ')', outer: outerOf(scan, PIPE_FILE) }, 2);
  }
  // The number of a file is no word.
  if (/^\d+$/.test(scan.word ?? '')) scan.word = undefined;
  endWord(scan);
  const [operator = ''] = /^(?:<<<|<<-?|[<>][>&|]?-?)/.exec(text.slice(index, index + 3)) ?? [];
  if (operator === '<<' || operator === '<<-') scan.command.hasDocument = true;
  scan.redirects = operator === '<<<' ? 'text' : 'file';
  return operator.length;
}

/** What goes on when an inner command has ended, its place taken by `filled`. */
function outerOf({ command, word = '', redirects }: Scan, filled: string): Reading {
  return { command, word: word + filled, redirects };
}

function openInner(
  scan: Scan,
  { end, outer }: { end: string; outer: Reading | undefined },
  length: number,
): number {
  scan.open.push({ end, quote: scan.quote, outer });
  Object.assign(scan, newReading());
  scan.quote = '';
  return length;
}

function closeInner(scan: Scan, end: string): number {
  if (end === '}') Object.assign(scan, newReading());
  endCommand(scan);
  if (scan.open.at(-1)?.end !== end) return 1;
  const closed = scan.open.pop();
  scan.quote = closed?.quote ?? '';
  if (closed?.outer !== undefined) Object.assign(scan, closed.outer);
  return 1;
}

/** Of an expansion, `${…}`: what is in it is no command. */
function isInBraces({ open }: Scan): boolean {
  return open.at(-1)?.end === '}';
}

function mayComment(scan: Scan): boolean {
  return scan.word === undefined && !isInBraces(scan);
}

function commentLength(text: string, index: number): number {
  const end = text.indexOf('\n', index);
  return (end === -1 ? text.length : end) - index;
}

/** @returns `length`, of what was taken. */
function addTo(scan: Scan, text: string, length: number): number {
  scan.word = (scan.word ?? '') + text;
  return length;
}

function endWord(scan: Scan): void {
  const { word, redirects, command } = scan;
  if (word === undefined) return;
  if (redirects === '') command.words.push(...expandBraces(word));
  else if (redirects === 'text') command.input = expandBraces(word).join(' ');
  scan.redirects = '';
  scan.word = undefined;
}

function endCommand(scan: Scan): void {
  endWord(scan);
  const { command } = scan;
  if (command.words.length > 0) scan.commands.push(command);
  Object.assign(scan, newReading());
}
