import type { PermissionArgument } from '../permission-subject.js';
import { patternOf, pathBelow } from './match-pattern.js';

/**
 * The rules that allow this call again and no other, for what a person approves for a session: of a
 * path one for each way it reads. A tool whose argument is not declared, or not given, is allowed
 * as a whole.
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
