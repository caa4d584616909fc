import { innerCommands, scriptsIn, runsNothing, wrapperOf } from './split-command.js';
import { cutDocuments, scanCommand, type ScannedCommand } from './scan-command.js';
import { meetsText, startsAt } from '../permissions/match-pattern.js';
import { asArgument, asProgram, HOLE } from './shell-marks.js';

/** Words before a program: assignments and keywords. */
const prefix = /^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=[\s\S]*|if|then|elif|else|while|until|do|!|\{)$/;

/** Greatest depth of nested commands. */
const deepest = 10;
/** Greatest number of characters of all forms together. */
const MAX_CHARS = 500_000;

/** Commands that a shell command may run, for `deny` and `ask` rules. */
export interface CommandForms {
  /**
   * Forms by which a rule may match the command: the whole, each simple command in it, and the
   * commands that those run through `env`, `sudo`, `xargs`, `bash -c` and the like. A program with
   * a folder also appears without it. Text that the shell inserts (a variable, an output) is a
   * `HOLE`.
   */
  texts: readonly string[];
  /**
   * Whether a pattern may match a command that runs and is not in the text: a program's name put
   * together by the shell, a shell's input, a program named in the arguments of an unknown program.
   */
  mayHave(pattern: string): boolean;
}

interface Search {
  texts: Set<string>;
  /** Arguments that may name a program, as words with single blanks. */
  mentions: Set<string>;
  /** Commands already scanned. */
  seen: Set<string>;
  characters: number;
  isComplete: boolean;
}

/** The place where a script was found. */
interface ScriptContext {
  depth: number;
  /** The text may be data instead of a script; holes in it are ignored then. */
  isDoubtful?: boolean;
}

/**
 * Lists the commands that a shell command may run. A guard rail: scripts in files, other languages
 * and encodings stay unseen, and the sandbox is the wall.
 *
 * @returns undefined when the command is too deep or too long to be scanned completely.
 */
export function commandForms(command: string): CommandForms | undefined {
  const search: Search = {
    texts: new Set(),
    mentions: new Set(),
    seen: new Set(),
    characters: 0,
    isComplete: true,
  };
  add(search, command);
  add(search, command.trim());
  scanScript(search, command, { depth: 0 });
  if (!search.isComplete) return undefined;
  const texts = [...search.texts];
  const open = texts.slice(1).filter((text) => text.includes(HOLE));
  const mentions = [...search.mentions];
  return {
    texts,
    mayHave: (pattern) =>
      open.some((text) => meetsText(pattern, text, HOLE)) ||
      mentions.some((text) => startsAt(pattern, text)),
  };
}

function scanScript(search: Search, script: string, context: ScriptContext): void {
  const { rest, documents } = cutDocuments(script);
  const commands = scanCommand(rest);
  for (const one of commands) addCommand(search, one, context);
  if (!script.includes('<<')) return;
  // Quotes in a here-document open nothing, and a shell may run its lines.
  const isScript = commands.some(({ words, hasDocument }) => hasDocument && runsInput(words));
  scanLines(search, documents, isScript ? context : { ...context, isDoubtful: true });
  scanLines(search, script.split('\n'), { ...context, isDoubtful: true });
}

function scanLines(search: Search, lines: readonly string[], context: ScriptContext): void {
  for (const line of lines) {
    for (const one of scanCommand(line)) addCommand(search, one, context);
  }
}

function addCommand(search: Search, command: ScannedCommand, context: ScriptContext): void {
  const { words } = command;
  if (context.depth > deepest) search.isComplete = false;
  const key = [...words, command.input ?? '', context.isDoubtful ? 'doubtful' : ''].join(' ');
  if (!search.isComplete || search.seen.has(key)) return;
  search.seen.add(key);
  const start = startOf(words);
  for (const word of words.slice(0, start)) mention(search, word.slice(word.indexOf('=') + 1));
  const whole = words.map(asArgument).join(' ');
  if (start === words.length) return add(search, whole);
  const program = asProgram(words[start] ?? '');
  if (context.isDoubtful && program.includes(HOLE)) return;
  add(search, whole);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const rest = words.slice(start + 1);
  const shown = rest.map(asArgument);
  // A hole may expand to several words, or to none.
  const joined = (first: string) => [first, ...shown].join(' ').replaceAll(`${HOLE} `, HOLE);
  add(search, [program, ...shown].join(' '));
  add(search, joined(program));
  add(search, joined(name));
  addInner(search, { name, rest, command }, { ...context, depth: context.depth + 1 });
}

interface Running {
  name: string;
  /** The program's arguments. */
  rest: readonly string[];
  command: ScannedCommand;
}

function addInner(search: Search, { name, rest, command }: Running, context: ScriptContext): void {
  const shown = rest.map(asArgument);
  for (const script of scriptsIn(name, shown, command)) {
    // A hole in a script may be any command.
    if (script.includes(HOLE)) add(search, HOLE);
    scanScript(search, script, context);
  }
  for (const inner of innerCommands(name, rest)) {
    // Inner commands may be as long as the whole: the limit is checked before each.
    if (!search.isComplete) return;
    addCommand(search, { words: inner }, context);
  }
  const wrapper = wrapperOf(name);
  const isKnown = wrapper === undefined ? runsNothing(name, shown) : wrapper.valued !== undefined;
  if (!isKnown && !context.isDoubtful) mention(search, shown.join(' '));
}

/** Index of the program, after assignments and keywords. */
function startOf(words: readonly string[]): number {
  let start = 0;
  for (;;) {
    const word = words[start] ?? '';
    const isNamed = word === 'function' || (word === 'coproc' && words[start + 2] === '{');
    if (isNamed) start += 2;
    else if (prefix.test(word) || word === 'coproc') start += 1;
    else return Math.min(start, words.length);
  }
}

/** Whether the program may run its here-document as a script. */
function runsInput(words: readonly string[]): boolean {
  const [program = '', ...rest] = words.slice(startOf(words));
  const name = program.slice(program.lastIndexOf('/') + 1);
  return !runsNothing(name, rest.map(asArgument)) && [...scriptsIn(name, rest, {})].length > 0;
}

function add(search: Search, text: string): void {
  if (search.texts.has(text)) return;
  search.characters += text.length;
  if (search.characters > MAX_CHARS) search.isComplete = false;
  else search.texts.add(text);
}

function mention(search: Search, text: string): void {
  const words = text.replaceAll(/[^\w.+@%:=/\uE000-]+/g, ' ').trim();
  if (words !== '' && !search.mentions.has(words)) {
    search.characters += words.length;
    if (search.characters > MAX_CHARS) search.isComplete = false;
    else search.mentions.add(words);
  }
}
