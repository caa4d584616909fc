import { wildcardMatcher, type Wildcard } from '../../governance/permissions/match-pattern.js';

/** A matcher of one name of a path; `any-folders` for `**`, which matches any number of folders. */
type Segment = 'any-folders' | ((name: string) => boolean);

const MAX_PATTERN_CHARS = 500;

const advice = 'use *, **, ?, [a-z] and {a,b}, and \\ before a character that stands for itself';

/**
 * A glob over paths, matched name by name by an automaton whose states are indexes of segments: `*` and
 * `?` match any characters and any one character of a name, `**` any folders, `[a-z]` and `[!a-z]` one
 * character, `{a,b}` either option. Names that begin with a dot are matched like others.
 *
 * There is no regular expression behind it: the cost is bounded by the pattern's length. The libraries compile a pattern
 * that a model wrote to an expression that backtracks, and `*a*a*a…b` then stops the process: picomatch 4 and zeptomatch 2
 * do not end on any of the four hostile patterns of our tests.
 */
export class GlobPattern {
  /** The segments of all alternatives, one after the other; undefined ends each alternative. */
  readonly #segments: readonly (Segment | undefined)[];
  /** The states before a path's first name. */
  readonly start: ReadonlySet<number>;

  /** @throws RangeError with the fault and with the syntax to use. */
  constructor(pattern: string) {
    if (pattern.length > MAX_PATTERN_CHARS) {
      throw new RangeError(`it has more than ${MAX_PATTERN_CHARS} characters`);
    }
    const fault = faultOf(pattern);
    if (fault !== undefined) throw new RangeError(`${fault}: ${advice}`);
    const segments: (Segment | undefined)[] = [];
    const starts: number[] = [];
    for (const alternative of expandGlobBraces(pattern)) {
      starts.push(segments.length);
      segments.push(...namesOf(alternative).map(toSegment), undefined);
    }
    this.#segments = segments;
    this.start = this.#closure(starts);
  }

  /** The states after a further name; empty when no path below can match. */
  advance(states: ReadonlySet<number>, name: string): ReadonlySet<number> {
    const next: number[] = [];
    for (const index of states) {
      const segment = this.#segments[index];
      if (segment === 'any-folders') next.push(index);
      else if (segment?.(name) === true) next.push(index + 1);
    }
    return this.#closure(next);
  }

  /** Whether a path that led to these states matches. */
  accepts(states: ReadonlySet<number>): boolean {
    return [...states].some((index) => this.#segments[index] === undefined);
  }

  /** Adds the states that `**` reaches by matching no folder. */
  #closure(states: readonly number[]): Set<number> {
    const all = new Set<number>();
    for (const index of states) {
      let next = index;
      all.add(next);
      while (this.#segments[next] === 'any-folders') {
        next += 1;
        all.add(next);
      }
    }
    return all;
  }
}

/** Refuses syntax of other matchers, which would silently match nothing here. */
function faultOf(pattern: string): string | undefined {
  const plain = pattern.replaceAll(/\\[^]/g, '__');
  if (plain.startsWith('!')) return 'it begins with !, and no pattern is a negation';
  const extended = /[?*+@!]\(/.exec(plain)?.[0];
  if (extended !== undefined) return `it has ${extended}…), an extended pattern`;
  if (/\([^)]*\|/.test(plain)) return 'it has (…|…)';
  if (/\{[^{},]*\.\.[^{},]*\}/.test(plain)) return 'it has {…..…}, a range in braces';
  return plain.includes('[:') ? 'it has [:…:], a named class' : undefined;
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function toSegment(name: string): Segment {
  return name === '**' ? 'any-folders' : wildcardMatcher(wildcardsOf(name));
}

function wildcardsOf(name: string): Wildcard[] {
  const found: Wildcard[] = [];
  for (let index = 0; index < name.length; index += 1) {
    const character = name.charAt(index);
    const set = character === '[' ? parseSet(name, index) : undefined;
    if (set !== undefined) {
      found.push({ fits: set.fits });
      index = set.end;
    } else if (character === '\\' && index + 1 < name.length) {
      index += 1;
      found.push({ literal: name.charAt(index) });
    } else if (character === '*') {
      found.push({ any: 'many' });
    } else {
      found.push(character === '?' ? { fits: () => true } : { literal: character });
    }
  }
  return found;
}

/** Parses `[a-z]` at `start`; undefined without a closing `]`, where the bracket stands for itself. */
function parseSet(
  name: string,
  start: number,
): { end: number; fits(character: string): boolean } | undefined {
  const isNegated = '!^'.includes(name.charAt(start + 1)) && start + 1 < name.length;
  const first = start + (isNegated ? 2 : 1);
  const members: string[] = [];
  const ranges: [string, string][] = [];
  for (let index = first; index < name.length; index += 1) {
    // A `]` that comes first is a member.
    if (name.charAt(index) === ']' && index > first) {
      const isMember = (character: string): boolean =>
        members.includes(character) ||
        ranges.some(([from, to]) => from <= character && character <= to);
      return { end: index, fits: (character) => isMember(character) !== isNegated };
    }
    if (name.charAt(index) === '\\') index += 1;
    const last = name.charAt(index + 2);
    if (name.charAt(index + 1) === '-' && last !== ']' && last !== '') {
      ranges.push([name.charAt(index), last]);
      index += 2;
    } else {
      members.push(name.charAt(index));
    }
  }
  return undefined;
}

/** Most texts of one pattern. */
const MAX_ALTERNATIVES = 32;

/**
 * Expands `{a,b}`, nested and side by side, to all its texts. A brace without a comma stands for itself,
 * as in a shell.
 *
 * @throws RangeError when the pattern has more than 32 texts.
 */
export function expandGlobBraces(pattern: string): string[] {
  const texts: string[] = [];
  const left = [pattern];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const choice = findChoice(next);
    if (choice === undefined) texts.push(next);
    else left.push(...choice.toReversed());
    if (texts.length + left.length > MAX_ALTERNATIVES) {
      throw new RangeError(`its braces stand for more than ${MAX_ALTERNATIVES} patterns`);
    }
  }
  return texts;
}

/** The pattern with each option of its first choice; undefined when it has no choice. */
function findChoice(pattern: string): string[] | undefined {
  /** Open braces, from the outside in, with the end of each of their options. */
  const open: { start: number; ends: number[] }[] = [];
  let first: { start: number; ends: number[] } | undefined;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\') {
      index += 1;
    } else if (character === '{') {
      open.push({ start: index, ends: [] });
    } else if (character === ',') {
      open.at(-1)?.ends.push(index);
    } else if (character === '}') {
      const closed = open.pop();
      if (closed === undefined || closed.ends.length === 0) continue;
      closed.ends.push(index);
      first = closed;
      break;
    }
  }
  if (first === undefined) return undefined;
  const before = pattern.slice(0, first.start);
  const after = pattern.slice((first.ends.at(-1) ?? first.start) + 1);
  return first.ends.map((end, index) => {
    const start = (index === 0 ? first.start : (first.ends[index - 1] ?? first.start)) + 1;
    return before + pattern.slice(start, end) + after;
  });
}
