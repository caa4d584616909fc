import { HOLE, expandBraces, unquoted, withoutMarks } from './shell-marks.js';

/** A simple command. */
export interface ScannedCommand {
  /** Words without quotes, with the marks of `shell-marks.ts`. */
  words: string[];
  /** The text of a here-string: `<<< text`. */
  input?: string;
  /** The command's input is a here-document. */
  hasDocument?: boolean;
}

/** An unfinished command, and its unfinished word. */
interface OpenCommand {
  command: ScannedCommand;
  /** Undefined between words. */
  word: string | undefined;
  /** The next word is the target of a redirection, or a here-string. */
  redirects: '' | 'file' | 'text';
}

/** State of the scan of a shell command. */
interface Scan extends OpenCommand {
  commands: ScannedCommand[];
  quote: '' | "'" | '"' | '$';
  /** Open inner commands: the character that closes each, and the command around it. */
  open: { end: string; quote: Scan['quote']; outer: OpenCommand | undefined }[];
}

/** Argument that stands for the output of a process substitution, `<(…)`. */
const PIPE_FILE = `/dev/fd/${HOLE}`;

/**
 * Finds the simple commands of a shell command, as well as it can be parsed: also in `$(…)`,
 * backticks and parentheses, and on further lines. Targets of redirections are left out. For `deny`
 * and `ask` rules: a command found may not run, and a command that runs may have another form.
 */
export function scanCommand(command: string): ScannedCommand[] {
  const scan: Scan = { ...newCommand(), commands: [], quote: '', open: [] };
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

function newCommand(): OpenCommand {
  return { command: { words: [] }, word: undefined, redirects: '' };
}

/** @returns the number of characters taken. */
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
  const { character, length } = parseEscape(text.slice(index + 1, index + 10));
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
  // Expansions may contain commands.
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
  // A file descriptor's number is no word.
  if (/^\d+$/.test(scan.word ?? '')) scan.word = undefined;
  endWord(scan);
  const [operator = ''] = /^(?:<<<|<<-?|[<>][>&|]?-?)/.exec(text.slice(index, index + 3)) ?? [];
  if (operator === '<<' || operator === '<<-') scan.command.hasDocument = true;
  scan.redirects = operator === '<<<' ? 'text' : 'file';
  return operator.length;
}

/** The command around an inner command, to continue with `filled` in the inner command's place. */
function outerOf({ command, word = '', redirects }: Scan, filled: string): OpenCommand {
  return { command, word: word + filled, redirects };
}

function openInner(
  scan: Scan,
  { end, outer }: { end: string; outer: OpenCommand | undefined },
  length: number,
): number {
  scan.open.push({ end, quote: scan.quote, outer });
  Object.assign(scan, newCommand());
  scan.quote = '';
  return length;
}

function closeInner(scan: Scan, end: string): number {
  if (end === '}') Object.assign(scan, newCommand());
  endCommand(scan);
  if (scan.open.at(-1)?.end !== end) return 1;
  const closed = scan.open.pop();
  scan.quote = closed?.quote ?? '';
  if (closed?.outer !== undefined) Object.assign(scan, closed.outer);
  return 1;
}

/** Whether the scan is in an expansion, `${…}`, whose own text is no command. */
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

/** @returns `length`, the number of characters taken. */
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
  Object.assign(scan, newCommand());
}

/** The beginning of a here-document; in arithmetic `<<` is a shift. */
const begin = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([\w.+-]+))/g;

/**
 * Separates a script from the lines of its here-documents. Detection is a guess: lines after a
 * false beginning count as a document, so the caller scans both.
 */
export function cutDocuments(script: string): { rest: string; documents: string[] } {
  if (!hasDocument(script)) return { rest: script, documents: [] };
  const rest: string[] = [];
  const documents: string[] = [];
  const ends: { word: string; isIndented: boolean }[] = [];
  for (const line of script.split('\n')) {
    const [next] = ends;
    if (next === undefined) {
      rest.push(line);
      ends.push(...endsIn(line));
    } else if ((next.isIndented ? line.replace(/^\t+/, '') : line) === next.word) {
      ends.shift();
    } else {
      documents.push(line);
    }
  }
  return { rest: rest.join('\n'), documents };
}

function endsIn(line: string): { word: string; isIndented: boolean }[] {
  if (line.includes('((') || !hasDocument(line)) return [];
  return [...line.replaceAll('<<<', ' ').matchAll(begin)].map(([, dash, ...words]) => ({
    word: words.find((word) => word !== undefined) ?? '',
    isIndented: dash === '-',
  }));
}

function hasDocument(script: string): boolean {
  return script.includes('<<') && scanCommand(script).some((command) => command.hasDocument);
}

const letters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const coded = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/;

/**
 * The character of an escape `\…` in `$'…'`, and the escape's length. An invalid code gives no
 * character.
 *
 * @param text begins after the backslash.
 */
function parseEscape(text: string): { character: string; length: number } {
  const octal = /^[0-7]{1,3}/.exec(text)?.[0];
  if (octal !== undefined) {
    return { character: characterOf(Number.parseInt(octal, 8) % 256), length: octal.length };
  }
  const hex = coded.exec(text);
  if (hex !== null) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
    return { character: characterOf(code), length: hex[0].length };
  }
  if (text.startsWith('c') && text.length > 1) {
    return { character: characterOf(text.charCodeAt(1) % 32), length: 2 };
  }
  const first = text.charAt(0);
  const character = letters[first] ?? (`'"\\?`.includes(first) ? first : `\\${first}`);
  return { character, length: first.length };
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '';
}
