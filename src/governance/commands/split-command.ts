import { HOLE } from './shell-marks.js';
import type { ScannedCommand } from './scan-command.js';

/** Characters that may make a shell run or open something outside of the words. */
const unclear = new Set(['(', ')', '<', '>', '\n', '\r', '\0', '#']);

/**
 * Splits a shell command that consists of simple commands, joined by `&&`, `||`, `;` and `|`. A
 * strict parser, which refuses where a general one would guess: a split command runs only the
 * programs at the beginning of its parts.
 *
 * @returns the parts, with single blanks outside of quotes; undefined for everything else:
 * expansions, substitutions, redirections, background, several lines, comments, open quotes.
 */
export function splitCommand(command: string): string[] | undefined {
  const parts = [''];
  let quote = '';
  for (let index = 0; index < command.length; index += 1) {
    const character = command.charAt(index);
    const next = command.charAt(index + 1);
    let taken = character;
    if (quote === "'") {
      if (character === quote) quote = '';
    } else if (character === '\\') {
      if (next === '' || next === '\n') return undefined;
      taken += next;
      index += 1;
    } else if (character === '$' || character === '`') {
      return undefined;
    } else if (quote === '"') {
      if (character === quote) quote = '';
    } else if (character === "'" || character === '"') {
      quote = character;
    } else if (unclear.has(character)) {
      return undefined;
    } else if (character === ' ' || character === '\t') {
      taken = /^\s$/.test(next) ? '' : ' ';
    } else if (';|&'.includes(character)) {
      const isDouble = next === character && character !== ';';
      if (character === '&' && !isDouble) return undefined;
      if (isDouble) index += 1;
      parts.push('');
      continue;
    }
    parts.push((parts.pop() ?? '') + taken);
  }
  // Other white space belongs to a word, for a shell.
  const clean = parts.map((part) => part.replaceAll(/^ +| +$/g, ''));
  return quote === '' && clean.every((part) => part !== '') ? clean : undefined;
}

const runsMatches = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec-batch']);
const assignment = /^[A-Za-z_]\w*=/;
const number = /^[\d.]+[a-z]?$/;

/** Commands that a program runs from its arguments, each as its words. */
export function* innerCommands(name: string, rest: readonly string[]): Generator<string[]> {
  const wrapper = wrapperOf(name);
  if (wrapper !== undefined) yield* wrappedCommands(wrapper, rest);
  if (name !== 'find' && name !== 'fd' && name !== 'fdfind' && name !== 'busybox') return;
  for (const [index, word] of rest.entries()) {
    if (!runsMatches.has(word)) continue;
    const length = rest.slice(index + 1).findIndex((one) => one === ';' || one === '+');
    const inner = rest.slice(index + 1, length === -1 ? undefined : index + 1 + length);
    yield inner.map((one) => one.replaceAll('{}', HOLE));
  }
}

/**
 * Commands that a wrapper may run: from the first argument that is no option or value, and from
 * later arguments where the wrapper takes operands before the program.
 */
function* wrappedCommands(wrapper: Wrapper, words: readonly string[]): Generator<string[]> {
  const filled = fillIn(wrapper, words);
  let left = wrapper.operands;
  let before: 'nothing' | 'flag' | 'option' | 'valued' = 'nothing';
  for (const [index, word] of filled.entries()) {
    if (before === 'valued') {
      before = 'nothing';
    } else if (word === '--' || assignment.test(word)) {
      before = 'nothing';
    } else if (word.startsWith('-')) {
      before = kindOf(wrapper, word);
    } else if (number.test(word) || (wrapper.valued !== undefined && left > 0)) {
      left = Math.max(left - 1, 0);
      before = 'nothing';
    } else {
      yield filled.slice(index);
      if (wrapper.adds) yield [...filled.slice(index), HOLE];
      if (before !== 'option' && left === 0) return;
      if (before !== 'option') left -= 1;
      before = 'nothing';
    }
  }
}

/** Whether the word after an option may be the option's value. */
function kindOf({ valued }: Wrapper, option: string): 'flag' | 'option' | 'valued' {
  if (option.includes('=')) return 'flag';
  if (valued === undefined || option.startsWith('--')) return 'option';
  const at = option
    .slice(1)
    .split('')
    .findIndex((letter) => valued.includes(letter));
  if (at === -1) return 'flag';
  return at === option.length - 2 ? 'valued' : 'flag';
}

/** Puts a hole in place of each name that the wrapper replaces with its input. */
function fillIn({ adds }: Wrapper, words: readonly string[]): string[] {
  if (adds === undefined) return [...words];
  const names = words.flatMap((word, index) => {
    const given = /^(?:-I|-i|--replace=)(.+)$/.exec(word)?.[1];
    return given ?? (word === '-I' ? (words[index + 1] ?? []) : []);
  });
  const all = ['{}', ...names].filter((one) => one !== '');
  return words.map((word) =>
    word.startsWith('-') ? word : all.reduce((text, one) => text.replaceAll(one, HOLE), word),
  );
}

/** Options of shells that take the next argument. */
const shellValued = new Set(['-O', '+O', '-o', '+o', '--rcfile', '--init-file']);
const devices = /^\/(?:dev|proc)\//;

/**
 * Texts that a program runs as shell scripts: arguments, or its input. Unknown input is a hole.
 *
 * @param rest the program's arguments.
 */
export function* scriptsIn(
  name: string,
  rest: readonly string[],
  command: Pick<ScannedCommand, 'input' | 'hasDocument'>,
): Generator<string> {
  if (shells.has(name)) yield* scriptsOfShell(name, rest, command);
  const options = wrapperOf(name)?.scripts;
  if (options !== undefined) yield* optionScripts(rest, options);
  switch (name) {
    case 'eval':
    case 'watch':
      return yield rest.filter((word) => !word.startsWith('-')).join(' ');
    case 'parallel':
      return yield* parallelScripts(rest);
    case 'trap':
      return yield rest.find((word) => !word.startsWith('-')) ?? '';
    case 'alias':
      return yield* rest.map((word) => word.slice(word.indexOf('=') + 1));
    case 'sg':
      return yield rest.slice(1).join(' ');
    case '.':
    case 'source':
      if (devices.test(rest[0] ?? '')) yield command.input ?? HOLE;
  }
}

function* scriptsOfShell(
  name: string,
  rest: readonly string[],
  { input, hasDocument }: Pick<ScannedCommand, 'input' | 'hasDocument'>,
): Generator<string> {
  const option = rest.findIndex((word) => /^-\w*c\w*$/.test(word));
  // The script is the first word after the options, and an option may have a value.
  if (option !== -1) return yield* rest.slice(option + 1, option + 4);
  yield* optionScripts(rest, ['command']);
  if (rest.some((word) => /^--(?:version|help|command=)/.test(word))) return;
  const file = rest.find(
    (word, index) => !/^[-+]/.test(word) && !shellValued.has(rest[index - 1] ?? ''),
  );
  const isFile = file !== undefined && !devices.test(file) && name !== 'su';
  if (isFile && !rest.some((word) => /^-\w*s\w*$/.test(word))) return;
  // The lines of a here-document are scanned by the caller.
  if (input !== undefined) yield input;
  else yield hasDocument ? ':' : HOLE;
}

/** Values of options: `-c text`, `-ctext`, `--command text`, `--command=text`. */
function* optionScripts(rest: readonly string[], options: readonly string[]): Generator<string> {
  for (const [index, word] of rest.entries()) {
    for (const option of options) {
      if (option.length > 1) {
        if (word === `--${option}`) yield rest[index + 1] ?? '';
        else if (word.startsWith(`--${option}=`)) yield word.slice(option.length + 3);
      } else if (/^-\w/.test(word) && word.includes(option)) {
        const value = word.slice(word.indexOf(option) + 1);
        yield value === '' ? (rest[index + 1] ?? '') : value;
      }
    }
  }
}

/**
 * The command of GNU parallel, with holes for its arguments; without a command, the arguments are
 * scripts.
 */
function* parallelScripts(rest: readonly string[]): Generator<string> {
  const end = rest.findIndex((word) => word.startsWith(':::'));
  const first = rest.findIndex((word) => !word.startsWith('-'));
  const command = rest.slice(first === -1 ? rest.length : first, end === -1 ? undefined : end);
  if (command.length > 0) yield command.join(' ').replaceAll('{}', HOLE);
  else if (end === -1) yield HOLE;
  if (end !== -1) yield* rest.slice(end + 1);
}

/** A program that runs another program, named by its arguments. */
interface Wrapper {
  /** Most arguments before the inner program's name. */
  operands: number;
  /**
   * Letters of the options that take the next argument as their value. Undefined: unknown, so that
   * the argument after an option may be its value or the inner program.
   */
  valued?: string;
  /** Options, without dashes, whose value is a shell script: a letter, or a word. */
  scripts?: readonly string[];
  /** The inner program gets arguments that are not in the command. */
  adds?: true;
}

const command = ['c', 'command'];
const plainWrapper: Wrapper = { operands: 0 };

const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['env', { operands: 0, valued: 'uC', scripts: ['S', 'split-string'] }],
  ['exec', { operands: 0, valued: 'a' }],
  ['sudo', { operands: 0, valued: 'ughpCrtTUDR' }],
  ['doas', { operands: 0, valued: 'uC' }],
  ['xargs', { operands: 0, valued: 'adEILnPs', adds: true }],
  ['parallel', { operands: 0, adds: true }],
  ['nice', { operands: 0, valued: 'n' }],
  ['ionice', { operands: 0, valued: 'cnpPu' }],
  ['stdbuf', { operands: 0, valued: 'ioe' }],
  ['time', { operands: 0, valued: 'fo' }],
  ['timeout', { operands: 1, valued: 'sk' }],
  ['flock', { operands: 1, valued: 'wE', scripts: command }],
  ['script', { operands: 0, scripts: command }],
  ['unshare', { operands: 0 }],
  ['nsenter', { operands: 0 }],
  ['chroot', { operands: 1 }],
  ['runuser', { operands: 1, scripts: command }],
  ['sg', { operands: 1, scripts: command }],
  ...'taskset chrt setarch logsave faketime gosu su-exec'
    .split(' ')
    .map((name) => [name, { operands: 1 }] as const),
  ...(
    'command builtin nohup setsid busybox toybox strace ltrace prlimit setpriv choom numactl ' +
    'linux32 linux64 i386 i686 x86_64 uname26 cgexec systemd-run systemd-inhibit dbus-run-session ' +
    'xvfb-run unbuffer catchsegv fakeroot eatmydata nocache rlwrap tini dumb-init chpst softlimit ' +
    'setuidgid envdir pkexec chronic ifne entr sem tsp valgrind gdb perf bwrap firejail proot ' +
    'proxychains torsocks torify watch uclampset start-stop-daemon ssh-agent'
  )
    .split(' ')
    .map((name) => [name, plainWrapper] as const),
]);

const shells: ReadonlySet<string> = new Set(
  'bash sh dash ash zsh ksh mksh fish rbash su'.split(' '),
);

/** Programs whose arguments are data: a program's name among them runs nothing. */
const plain: ReadonlySet<string> = new Set(
  (
    'echo printf true false : test [ [[ cd pwd pushd popd ls dir tree stat file find wc sort uniq cut ' +
    'tr head tail cat tac nl tee grep egrep fgrep rg ag diff cmp comm paste join column basename ' +
    'dirname realpath readlink mkdir rmdir touch cp mv ln rm chmod chown chgrp du df date seq sleep ' +
    'kill which whereis type apropos whatis help hash read return exit break continue shift ' +
    'unset wait jobs fg bg fi done esac } for case select in jq yq sha256sum md5sum base64 od xxd ' +
    'hexdump strings gzip gunzip unzip id whoami groups hostname uname uptime ps pgrep free pip pip3'
  ).split(' '),
);

/** Subcommands of git that run no program named in their arguments. */
const plainGit: ReadonlySet<string> = new Set(
  (
    'add am apply archive blame branch cat-file checkout cherry cherry-pick clean clone commit ' +
    'describe diff fetch format-patch grep init log ls-files ls-remote ls-tree merge merge-base mv ' +
    'pull push reflog remote reset restore rev-list rev-parse revert rm shortlog show show-ref ' +
    'sparse-checkout stash status switch symbolic-ref tag worktree'
  ).split(' '),
);

export function wrapperOf(name: string): Wrapper | undefined {
  // The dynamic loader, which runs the program named by its first argument.
  return /^ld[\w-]*\.so/.test(name) ? plainWrapper : wrappers.get(name);
}

/** Options of programs in `plain` that name a program to run. */
const namesProgram = /^--(?:pre|compress-program)(?:=|$)/;

/** Whether a program is known to run nothing that its arguments name. */
export function runsNothing(name: string, rest: readonly string[]): boolean {
  if (rest.some((word) => namesProgram.test(word))) return false;
  return plain.has(name) || (name === 'git' && plainGit.has(rest[0] ?? ''));
}
