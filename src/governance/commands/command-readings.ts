import { innerCommands } from './inner-commands.js';
import { scriptsIn } from './inner-scripts.js';
import { cutDocuments } from './here-documents.js';
import { meetsText, startsAt } from '../permissions/match-pattern.js';
import { scanCommand, type ScannedCommand } from './scan-command.js';
import { asArgument, asProgram, HOLE } from './shell-marks.js';
import { runsNothing, wrapperOf } from './shell-programs.js';

/** Words that stand before a command. */
const prefix = /^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=[\s\S]*|if|then|elif|else|while|until|do|!|\{)$/;

/** Commands inside commands that are looked into. */
const deepest = 10;
/** Characters of all readings together. */
const mostCharacters = 500_000;

/** What a shell command may run, for rules that forbid. */
export interface CommandReadings {
  /**
   * Every text by which a rule may know the command: the whole, each simple command in it, and what
   * that runs by `env`, `sudo`, `xargs`, `bash -c` and the like. A program with its folder is also
   * read without. What a shell puts in (a variable, an output) is a `HOLE`.
   */
  texts: readonly string[];
  /**
   * Whether a pattern may be about something that runs here and cannot be read: a name that is put
   * together, what a shell reads as its input, what stands in the arguments of another program.
   */
  mayHave(pattern: string): boolean;
}

interface Search {
  texts: Set<string>;
  /** Arguments that may name a program, as words with single blanks. */
  mentions: Set<string>;
  /** Commands that were looked into. */
  seen: Set<string>;
  characters: number;
  isComplete: boolean;
}

/** How a script is read. */
interface Place {
  depth: number;
  /** It may be no script, and then what is put in means nothing. */
  isDoubtful?: boolean;
}

/**
 * A guard rail: what a script, a program of another language or an encoding hides is not seen, and
 * the sandbox is the wall.
 *
 * @returns undefined when the command is too entangled to be read whole.
 */
export function commandReadings(command: string): CommandReadings | undefined {
  const search: Search = {
    texts: new Set(),
    mentions: new Set(),
    seen: new Set(),
    characters: 0,
    isComplete: true,
  };
  add(search, command);
  add(search, command.trim());
  readScript(search, command, { depth: 0 });
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

function readScript(search: Search, script: string, place: Place): void {
  const { rest, documents } = cutDocuments(script);
  const commands = scanCommand(rest);
  for (const one of commands) readCommand(search, one, place);
  if (!script.includes('<<')) return;
  // A quote in a here-document opens nothing, and a shell may be what reads it.
  const isRead = commands.some(({ words, hasDocument }) => hasDocument && readsInput(words));
  readLines(search, documents, isRead ? place : { ...place, isDoubtful: true });
  readLines(search, script.split('\n'), { ...place, isDoubtful: true });
}

function readLines(search: Search, lines: readonly string[], place: Place): void {
  for (const line of lines) {
    for (const one of scanCommand(line)) readCommand(search, one, place);
  }
}

function readCommand(search: Search, command: ScannedCommand, place: Place): void {
  const { words } = command;
  if (place.depth > deepest) search.isComplete = false;
  const key = [...words, command.input ?? '', place.isDoubtful ? 'doubtful' : ''].join(' ');
  if (!search.isComplete || search.seen.has(key)) return;
  search.seen.add(key);
  const start = startOf(words);
  for (const word of words.slice(0, start)) mention(search, word.slice(word.indexOf('=') + 1));
  const whole = words.map(asArgument).join(' ');
  if (start === words.length) return add(search, whole);
  const program = asProgram(words[start] ?? '');
  if (place.isDoubtful && program.includes(HOLE)) return;
  add(search, whole);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const rest = words.slice(start + 1);
  const shown = rest.map(asArgument);
  // Put in, it may be several words, or none.
  const joined = (first: string) => [first, ...shown].join(' ').replaceAll(`${HOLE} `, HOLE);
  add(search, [program, ...shown].join(' '));
  add(search, joined(program));
  add(search, joined(name));
  readInside(search, { name, rest, command }, { ...place, depth: place.depth + 1 });
}

interface Running {
  name: string;
  /** Its arguments. */
  rest: readonly string[];
  command: ScannedCommand;
}

function readInside(search: Search, { name, rest, command }: Running, place: Place): void {
  const shown = rest.map(asArgument);
  for (const script of scriptsIn(name, shown, command)) {
    // What is put into a script may be any command.
    if (script.includes(HOLE)) add(search, HOLE);
    readScript(search, script, place);
  }
  for (const inner of innerCommands(name, rest)) {
    // Each may be as long as the whole.
    if (!search.isComplete) return;
    readCommand(search, { words: inner }, place);
  }
  const wrapper = wrapperOf(name);
  const isKnown = wrapper === undefined ? runsNothing(name, shown) : wrapper.valued !== undefined;
  if (!isKnown && !place.isDoubtful) mention(search, shown.join(' '));
}

/** Where the program is: after assignments, and words that only stand before it. */
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

/** Whether a here-document of the command may be a script. */
function readsInput(words: readonly string[]): boolean {
  const [program = '', ...rest] = words.slice(startOf(words));
  const name = program.slice(program.lastIndexOf('/') + 1);
  return !runsNothing(name, rest.map(asArgument)) && [...scriptsIn(name, rest, {})].length > 0;
}

function add(search: Search, text: string): void {
  if (search.texts.has(text)) return;
  search.characters += text.length;
  if (search.characters > mostCharacters) search.isComplete = false;
  else search.texts.add(text);
}

function mention(search: Search, text: string): void {
  const words = text.replaceAll(/[^\w.+@%:=/\uE000-]+/g, ' ').trim();
  if (words !== '' && !search.mentions.has(words)) {
    search.characters += words.length;
    if (search.characters > mostCharacters) search.isComplete = false;
    else search.mentions.add(words);
  }
}
