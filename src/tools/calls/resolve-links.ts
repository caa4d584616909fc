import { canonicalize } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';

/**
 * Where an absolute path leads, as the file tools follow it, also where its end is not there; itself
 * where its links cannot be followed.
 */
export function resolveLinks(one: string): Promise<string> {
  return canonicalize(one).catch(() => one);
}

/** Each as it is written and where it leads, once. */
export async function withLinkTargets(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(async (one) => [one, await resolveLinks(one)]));
  return [...new Set(found.flat())];
}
