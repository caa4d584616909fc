import { isWithin } from '../../platform/is-within.js';
import { denyingNames, type PermissionQuestion, type OfferRules } from './offer-tools.js';
import { matchText, pathMatcher } from './match-pattern.js';
import { parsePermissionRule } from './permission-rules.js';

/** The server's own paths: absolute, each as written and with its links resolved. */
export interface OwnPaths {
  /**
   * The server's data and the kernel's folders: no session works in them, no file tool reaches
   * them.
   */
  closed: readonly string[];
  /** Paths that file tools do not reach, unless the project root is inside of them. */
  hidden: readonly string[];
  /** Paths that file tools only read: write access would let a turn change its own permissions. */
  protected: readonly string[];
}

export interface OwnPathQuestion {
  effect: string;
  argument: { kind: string; texts: readonly string[]; roots?: readonly string[] } | undefined;
}

/**
 * Folders that are invisible to a project's file tools. @param roots of the project, as written and
 * resolved.
 */
export function hiddenFrom(own: OwnPaths, roots: readonly string[]): string[] {
  const isSeen = (folder: string) => roots.some((root) => isWithin(folder, root));
  return [...own.closed, ...own.hidden.filter((folder) => !isSeen(folder))];
}

/**
 * The reason why a call is denied its path, whatever the rules are; undefined when it is not. A
 * parent folder is no reason: a search that begins there skips the hidden folders.
 */
export function denyOwnPath(
  own: OwnPaths,
  { effect, argument }: OwnPathQuestion,
): string | undefined {
  if (argument?.kind !== 'path') return undefined;
  const { texts, roots = [] } = argument;
  const touches = (folders: readonly string[]) =>
    folders.some((folder) => texts.some((text) => isWithin(folder, text)));
  if (touches(hiddenFrom(own, roots))) {
    return 'permission denied: this path belongs to the server, and tools do not reach it. Use another path.';
  }
  if (effect !== 'read' && touches(own.protected)) {
    return 'permission denied: this path belongs to the server, and tools only read it. Write to another path.';
  }
  return undefined;
}

/** Injects the server's `OwnPaths`. */
export const OWN_PATHS = Symbol('OwnPaths');

/**
 * A filter for a search's results: the search names only the folder where it begins, and that
 * folder alone was judged.
 *
 * @param roots folders, as written and resolved, that relative patterns start from.
 * @returns a test whether a `deny` rule with a pattern matches any spelling of a path.
 */
export function deniedPaths(
  tool: Pick<PermissionQuestion['tool'], 'name' | 'deniedWith'>,
  { layers, server, session }: OfferRules,
  roots: readonly string[],
): (ways: readonly string[]) => boolean {
  const names = denyingNames(tool);
  const rules = [server, session, ...layers.map(({ agent }) => agent)];
  const matchers = rules
    .flatMap(({ deny = [] }) => deny)
    .flatMap((text) => {
      const parsed = parsePermissionRule(text);
      if ('fault' in parsed || parsed.rule.pattern === undefined) return [];
      const { tool: denied, pattern } = parsed.rule;
      return names.some((name) => matchText(denied, name)) ? [pathMatcher(pattern, roots)] : [];
    });
  return (ways) => matchers.some((fits) => ways.some(fits));
}
