import { canonicalize } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';

/**
 * The target of an absolute path, resolved as the file tools do, also when its end does not exist; the
 * path itself when its links cannot be followed.
 */
export function resolveLinks(one: string): Promise<string> {
  return canonicalize(one).catch(() => one);
}

/** The paths and their link targets, each once. */
export async function withLinkTargets(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(async (one) => [one, await resolveLinks(one)]));
  return [...new Set(found.flat())];
}
