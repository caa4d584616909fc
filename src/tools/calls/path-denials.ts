import { deniedPaths } from '../../governance/permissions/denied-paths.js';
import type { OfferRules } from '../../governance/permissions/offer-tools.js';
import type { ToolContext } from '../tool.js';

/**
 * The paths that a turn's rules deny to searches. A turn's rules do not change while it runs.
 *
 * @param roots spellings of the project root: as it is named, and without links.
 */
export function openPathDenials(
  rules: OfferRules,
  roots: readonly string[],
): NonNullable<ToolContext['isDenied']> {
  const known = new Map<string, ReturnType<typeof deniedPaths>>();
  return (tool, spellings) => {
    const denies = known.get(tool.name) ?? deniedPaths(tool, rules, roots);
    known.set(tool.name, denies);
    return denies(spellings);
  };
}
