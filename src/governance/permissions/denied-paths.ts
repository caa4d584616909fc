import { denyingNames, type PermissionQuestion } from './decide-permission.js';
import { matchText, pathMatcher } from './match-pattern.js';
import type { OfferRules } from './offer-tools.js';
import { parsePermissionRule } from './permission-rules.js';

/**
 * What a search leaves out of what it finds: its call names the folder it begins in, and the rules are
 * asked about that one only.
 *
 * @param roots what patterns without a leading `/` start from, as written and resolved.
 * @returns whether a `deny` rule with a pattern is about a path, in any of the ways the path reads.
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
