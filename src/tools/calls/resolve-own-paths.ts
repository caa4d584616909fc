import { resolve } from 'node:path';
import type { OwnPaths } from '../../governance/permissions/own-paths.js';
import { withLinkTargets } from './resolve-links.js';

/** Virtual files of the kernel, which include the server's environment. */
const kernelFolders = ['/proc', '/sys', '/dev'];

/** The server's own paths as they are configured. */
export interface OwnFolders {
  data: readonly string[];
  hidden: readonly string[];
  protected: readonly string[];
}

/** Resolves the server's own paths, once: a link that changes later is not followed again. */
export async function resolveOwnPaths(own: OwnFolders): Promise<OwnPaths> {
  const [data, hidden, kept] = await Promise.all(
    [own.data, own.hidden, own.protected].map((paths) =>
      withLinkTargets(paths.map((one) => resolve(one))),
    ),
  );
  return {
    closed: [...kernelFolders, ...(data ?? [])],
    hidden: hidden ?? [],
    protected: kept ?? [],
  };
}
