import path from 'node:path';
import { patternOf, pathBelow } from '../governance/permissions/match-pattern.js';

/** What the paths of rules are relative to. All are absolute. */
export interface RulePlace {
  /** The folder of the project, in which sessions work. */
  project: string;
  /** What a path with one leading `/` is relative to: the folder that the settings are about. */
  settings: string;
  /** What `~` stands for. Absent: it is not known, and no pattern is sure to be right. */
  home?: string;
}

/**
 * A path pattern of a rule of Claude Code as patterns of ours: `//abs` is absolute, `~/x` at home, `/x` relative to the
 * folder of the settings, `x` relative to the project. They are those of `.gitignore`: a name alone is of any folder, and
 * a folder is all that is in it.
 *
 * @param isWide `true` for rules that deny or ask, which match too much rather than too little; rules that allow match
 *   too little rather than too much.
 * @returns undefined where no pattern of ours is sure to be right. Pure.
 */
export function convertPath(
  given: string,
  place: RulePlace,
  isWide: boolean,
): string[] | undefined {
  const anchored = anchor(given.trim(), place);
  if (anchored === undefined) return undefined;
  const { root, isBare } = anchored;
  const isFolder = anchored.below.endsWith('/');
  const below = withoutClasses(anchored.below.replace(/\/+$/, ''), isWide);
  const absolute = below && joined(root, below);
  if (absolute === undefined) return undefined;
  const inProject = pathBelow(patternOf(place.project), absolute);
  const base = inProject ?? (absolute === patternOf(place.project) ? '**' : absolute);
  const anywhere = isBare && isWide && inProject !== undefined ? `**/${base}` : base;
  if (anywhere.endsWith('**')) return [anywhere];
  if (isFolder && !isWide) return [`${anywhere}/**`];
  return isWide ? [anywhere, `${anywhere}/**`] : [anywhere];
}

interface Anchored {
  /** A folder, as it is. */
  root: string;
  /** The pattern below it. */
  below: string;
  /** Whether it is one name, which is of any folder. */
  isBare: boolean;
}

function anchor(given: string, { project, settings, home }: RulePlace): Anchored | undefined {
  if (given === '' || given.startsWith('!')) return undefined;
  if (given.startsWith('//')) return { root: '/', below: given.slice(2), isBare: false };
  if (given === '~' || given.startsWith('~/')) {
    if (home === undefined) return undefined;
    return { root: home, below: given.slice(2) || '**', isBare: false };
  }
  if (given.startsWith('~')) return undefined;
  if (given.startsWith('/'))
    return { root: settings, below: given.slice(1) || '**', isBare: false };
  if (given === '.' || given === './') return { root: project, below: '**', isBare: false };
  const isBare = !given.replace(/\/+$/, '').includes('/');
  return { root: project, below: given, isBare };
}

/** Without the syntax of other matchers, which would be read to the letter here. */
function withoutClasses(pattern: string, isWide: boolean): string | undefined {
  // A group of alternatives may have a / in it.
  if (/\{[^}]*[,/]/.test(pattern)) return undefined;
  if (!/\[[^\]]+\]/.test(pattern)) return pattern;
  return isWide ? pattern.replaceAll(/\[[^\]/]+\]/g, '?') : undefined;
}

/** The absolute pattern, with `..` resolved; undefined where wildcards stand before it. */
function joined(root: string, below: string): string | undefined {
  const names = below.split('/').filter((name) => name !== '' && name !== '.');
  const lastUp = names.lastIndexOf('..');
  if (names.slice(0, lastUp + 1).some((name) => /[*?\\]/.test(name))) return undefined;
  const folder = path.posix.join(root, ...names.slice(0, lastUp + 1));
  return path.posix.join(patternOf(folder), names.slice(lastUp + 1).join('/') || '.');
}
