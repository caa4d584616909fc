import type { PermissionArgument } from '../permission-subject.js';
import { patternOf, pathBelow } from './match-pattern.js';

/**
 * The narrowest rules that allow this call, for an approval that lasts for the session: a rule for
 * each spelling of a path. A tool without a declared or given argument is allowed as a whole.
 */
export function grantsFor(tool: string, argument: PermissionArgument | undefined): string[] {
  const { kind, texts = [], roots = [] } = argument ?? {};
  if (texts.length === 0) return [tool];
  const patterns = texts.map((text) => {
    const below = roots.map((root) => pathBelow(root, text)).find((path) => path !== undefined);
    return patternOf(kind === 'path' ? (below ?? text) : text);
  });
  return [...new Set(patterns)].map((pattern) => `${tool}(${pattern})`);
}
