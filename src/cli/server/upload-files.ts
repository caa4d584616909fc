import { openAsBlob } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnpikeError, type TurnpikeClient } from '../../client/turnpike-client.js';
import { UsageError } from '../arguments/usage-error.js';
import { errorCode } from '../../platform/error-code.js';

/**
 * Uploads local files.
 *
 * @param warn called for each file that was refused or changed.
 * @returns the ids of the uploaded files, for a turn's `attachments`.
 * @throws the client's errors other than ATTACHMENT_FAILURE.
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
      // A blob over the file: its bytes are loaded while they are sent.
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

/** @throws UsageError for a file that cannot be read. */
export async function requireFile(file: string): Promise<void> {
  const fault = await findFault(file);
  if (fault !== undefined) throw new UsageError(`${file}: ${fault}.`);
}

async function findFault(file: string): Promise<string | undefined> {
  try {
    if (!(await stat(file)).isFile()) return 'this is no regular file';
    await access(file, constants.R_OK);
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'there is no such file';
    return `this file cannot be read (${errorCode(error) ?? String(error)})`;
  }
}
