import { openAsBlob } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnpikeError, type TurnpikeClient } from '../../client/turnpike-client.js';
import { errorCode } from '../../platform/error-code.js';

/**
 * Sends files of this machine to a server, which may be on another one.
 *
 * @param warn hears of a file that was not taken, or was changed.
 * @returns what a turn names them by: those that were taken.
 * @throws what the client throws but for a file that the server does not take.
 */
export async function uploadFiles(
  client: TurnpikeClient,
  files: readonly string[],
  warn: (text: string) => void,
): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const fault = await findFault(file);
    if (fault !== undefined) {
      warn(`${file} was not taken: ${fault}`);
      continue;
    }
    try {
      // Read from the disk as it is sent, not before.
      const content = await openAsBlob(file);
      const { id, name, changed } = await client.uploads.send({
        name: path.basename(file),
        content,
      });
      if (changed) warn(`${name}: ${changed}`);
      ids.push(id);
    } catch (error) {
      if (!(error instanceof TurnpikeError) || error.code !== 'ATTACHMENT_FAILURE') throw error;
      warn(error.message);
    }
  }
  return ids;
}

async function findFault(file: string): Promise<string | undefined> {
  try {
    if (!(await stat(file)).isFile()) return 'it is no regular file';
    await access(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return `it cannot be read, ${errorCode(error) ?? 'unknown'}`;
  }
}
