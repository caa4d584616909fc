import { scanCommand } from './scan-command.js';

/** Programs that run another one, named by their arguments. */
const wrappers = new Set(
  'sudo doas env command builtin exec nohup setsid time timeout nice ionice stdbuf xargs busybox watch strace'.split(
    ' ',
  ),
);
const shells = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh', 'su']);
/** Words that stand before a command. */
const prefix = /^(?:[A-Za-z_]\w*\+?=[\s\S]*|if|then|elif|else|while|until|do|!|\{)$/;
const runsMatches = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** Commands inside commands that are looked into. */
const deepest = 10;
/** Characters of all readings together. */
const mostCharacters = 500_000;

interface Readings {
  texts: Set<string>;
  /** Commands that were looked into. */
  seen: Set<string>;
  characters: number;
  isComplete: boolean;
}

/**
 * Every text by which a rule that forbids may know a shell command: the whole, each simple command
 * in it, and what that runs by `env`, `sudo`, `xargs`, `bash -c` and the like. A program with its
 * folder is also read without. A guard rail: a variable, an encoding or a script hides a program
 * from it, and the sandbox is the wall.
 *
 * @returns undefined when the command is too entangled to be read whole.
 */
export function commandReadings(command: string): string[] | undefined {
  const readings: Readings = {
    texts: new Set(),
    seen: new Set(),
    characters: 0,
    isComplete: true,
  };
  add(readings, command);
  add(readings, command.trim());
  readScript(readings, command, 0);
  return readings.isComplete ? [...readings.texts] : undefined;
}

function readScript(readings: Readings, script: string, depth: number): void {
  for (const words of scanCommand(script)) readWords(readings, words, depth);
  if (!script.includes('<<')) return;
  // A quote in a here-document opens nothing, and a shell may be what reads it.
  for (const line of script.split('\n')) {
    for (const words of scanCommand(line)) readWords(readings, words, depth);
  }
}

function readWords(readings: Readings, words: readonly string[], depth: number): void {
  if (depth > deepest) readings.isComplete = false;
  const whole = words.join(' ');
  if (!readings.isComplete || readings.seen.has(whole)) return;
  readings.seen.add(whole);
  add(readings, whole);
  const start = words.findIndex((word) => !prefix.test(word));
  if (start === -1) return;
  const [program = '', ...rest] = words.slice(start);
  const name = program.slice(program.lastIndexOf('/') + 1);
  add(readings, [program, ...rest].join(' '));
  add(readings, [name, ...rest].join(' '));
  for (const script of scriptsOf(name, rest)) readScript(readings, script, depth + 1);
  for (const inner of innerCommands(name, rest)) {
    // Each may be as long as the whole.
    if (!readings.isComplete) return;
    readWords(readings, inner, depth + 1);
  }
}

/** The arguments that a program takes for commands of a shell. */
function scriptsOf(name: string, rest: readonly string[]): readonly string[] {
  if (name === 'eval') return [rest.join(' ')];
  if (name === 'watch') return rest.filter((word) => word.includes(' '));
  const option = shells.has(name) ? rest.findIndex((word) => /^-\w*c\w*$/.test(word)) : -1;
  // The script is the first word after the options, and an option may have a value.
  return option === -1 ? [] : rest.slice(option + 1, option + 4);
}

/** The commands that a program runs, as their words. */
function* innerCommands(name: string, rest: readonly string[]): Generator<string[]> {
  if (wrappers.has(name)) yield* wrappedCommands(rest);
  for (const [index, word] of rest.entries()) {
    if (runsMatches.has(word)) yield rest.slice(index + 1);
  }
}

/** What a wrapper may run: which of its words are values of options is not known. */
function* wrappedCommands(words: readonly string[]): Generator<string[]> {
  for (const [index, word] of words.entries()) {
    if (word.startsWith('-') || prefix.test(word)) continue;
    yield words.slice(index);
    const isValue = words[index - 1]?.startsWith('-') === true || /^[\d.]+[a-z]?$/.test(word);
    if (!isValue) return;
  }
}

function add(readings: Readings, text: string): void {
  if (readings.texts.has(text)) return;
  readings.characters += text.length;
  if (readings.characters > mostCharacters) readings.isComplete = false;
  else readings.texts.add(text);
}
