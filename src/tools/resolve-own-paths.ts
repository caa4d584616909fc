import { resolve } from 'node:path';
import { canonicalize } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';
import type { OwnPaths } from '../governance/own-paths.js';

/** Files that are no files: the environment of the server is one of them. */
const kernelFolders = ['/proc', '/sys', '/dev'];

/** The server's own paths as they are configured. */
export interface OwnFolders {
  data: readonly string[];
  hidden: readonly string[];
  protected: readonly string[];
}

/** Looks where they lead, once: a link among them that is turned later is not seen. */
export async function resolveOwnPaths(own: OwnFolders): Promise<OwnPaths> {
  const [data, hidden, kept] = await Promise.all(
    [own.data, own.hidden, own.protected].map(bothWays),
  );
  return {
    closed: [...kernelFolders, ...(data ?? [])],
    hidden: hidden ?? [],
    protected: kept ?? [],
  };
}

async function bothWays(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (one) => {
      const written = resolve(one);
      return [written, await canonicalize(written).catch(() => written)];
    }),
  );
  return [...new Set(found.flat())];
}
