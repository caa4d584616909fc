import type { ScannedCommand } from './scan-command.js';
import { HOLE } from './shell-marks.js';
import { shells, wrapperOf } from './shell-programs.js';

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
