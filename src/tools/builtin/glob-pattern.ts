import { wildcardMatcher, type Wildcard } from '../../governance/permissions/wildcards.js';
import { expandBraces } from './expand-braces.js';

/** One name of a path, or `**`: any folders, also none. */
type Segment = 'any-folders' | ((name: string) => boolean);

const longestPattern = 500;

const advice = 'use *, **, ?, [a-z] and {a,b}, and \\ before a character that stands for itself';

/**
 * A glob over paths, matched name by name: `*` and `?` are any characters and any one of a name, `**`
 * any folders, `[a-z]` and `[!a-z]` a character, `{a,b}` a choice. Names with a dot are names like
 * others. No regular expression is made of it: what a pattern costs is bounded by its length.
 */
export class GlobPattern {
  /** The places of all its alternatives, one after the other; undefined: the end of one. */
  readonly #places: readonly (Segment | undefined)[];
  /** Where a path begins. */
  readonly start: ReadonlySet<number>;

  /** @throws RangeError that says what is wrong and what to use. */
  constructor(pattern: string) {
    if (pattern.length > longestPattern) {
      throw new RangeError(`it has more than ${longestPattern} characters`);
    }
    const fault = faultOf(pattern);
    if (fault !== undefined) throw new RangeError(`${fault}: ${advice}`);
    const places: (Segment | undefined)[] = [];
    const starts: number[] = [];
    for (const alternative of expandBraces(pattern)) {
      starts.push(places.length);
      places.push(...namesOf(alternative).map(toSegment), undefined);
    }
    this.#places = places;
    this.start = this.#withoutFolders(starts);
  }

  /** Where it is after a name of a path; empty: nothing below it can fit. */
  after(at: ReadonlySet<number>, name: string): ReadonlySet<number> {
    const next: number[] = [];
    for (const index of at) {
      const place = this.#places[index];
      if (place === 'any-folders') next.push(index);
      else if (place?.(name) === true) next.push(index + 1);
    }
    return this.#withoutFolders(next);
  }

  /** Whether what led there is a whole path. */
  fits(at: ReadonlySet<number>): boolean {
    return [...at].some((index) => this.#places[index] === undefined);
  }

  /** `**` may also be no folder. */
  #withoutFolders(at: readonly number[]): Set<number> {
    const all = new Set<number>();
    for (const index of at) {
      let next = index;
      all.add(next);
      while (this.#places[next] === 'any-folders') {
        next += 1;
        all.add(next);
      }
    }
    return all;
  }
}

/** What other matchers take and this one does not would silently find nothing. */
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

/** `[a-z]` that begins at `start`; undefined where no `]` ends it: then it is a bracket. */
function parseSet(
  name: string,
  start: number,
): { end: number; fits(character: string): boolean } | undefined {
  const isNegated = '!^'.includes(name.charAt(start + 1)) && start + 1 < name.length;
  const first = start + (isNegated ? 2 : 1);
  const members: string[] = [];
  const ranges: [string, string][] = [];
  for (let index = first; index < name.length; index += 1) {
    // A bracket that comes first is a member.
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
