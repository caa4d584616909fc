import { resolve } from 'node:path';
import type { OwnPaths } from '../../governance/permissions/own-paths.js';
import { withLinkTargets } from './resolve-links.js';

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
