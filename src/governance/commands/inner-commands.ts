import { HOLE } from './shell-marks.js';
import { wrapperOf, type Wrapper } from './shell-programs.js';

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
