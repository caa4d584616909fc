import path from 'node:path';
import { deniedPaths } from '../../governance/permissions/denied-paths.js';
import type { OfferRules } from '../../governance/permissions/offer-tools.js';
import { withLinkTargets } from './resolve-links.js';
import type { ToolContext } from '../tool.js';

/** The paths that a turn's rules deny to searches. A turn's rules do not change while it runs. */
export async function openPathDenials(
  rules: OfferRules,
  projectRoot: string,
): Promise<NonNullable<ToolContext['isDenied']>> {
  const roots = await withLinkTargets([path.resolve(projectRoot)]);
  const known = new Map<string, ReturnType<typeof deniedPaths>>();
  return (tool, spellings) => {
    const denies = known.get(tool.name) ?? deniedPaths(tool, rules, roots);
    known.set(tool.name, denies);
    return denies(spellings);
  };
}
