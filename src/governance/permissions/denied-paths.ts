import { denyingNames, type PermissionQuestion } from './decide-permission.js';
import { matchText, pathMatcher } from './match-pattern.js';
import type { OfferRules } from './offer-tools.js';
import { parsePermissionRule } from './permission-rules.js';

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
