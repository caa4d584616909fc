import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { unknownProject } from './oracle-errors.js';

/**
 * The folder a new conversation works in. A project is a folder in the root itself: a link there
 * could lead anywhere.
 *
 * @param projectId one segment of a path, checked.
 * @throws TypedError WORKING_ROOT_INACCESSIBLE 404.
 */
export async function findProject(root: string, projectId: string | undefined): Promise<string> {
  if (projectId === undefined) return root;
  const [folder, base] = await Promise.all(
    [path.join(root, projectId), root].map((one) => realpath(one).catch(() => undefined)),
  );
  if (folder === undefined || base === undefined || folder !== path.join(base, projectId)) {
    throw unknownProject(projectId);
  }
  return folder;
}
