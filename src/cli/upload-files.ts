import { openAsBlob } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../platform/error-code.js';
import { postForm, type ServerAddress } from './read-turn.js';

interface Uploaded {
  attachments: { id: string; name: string; changed?: string }[];
  errors: { path: string; reason: string }[];
}

/**
 * Sends files of this machine to a server, which may be on another one.
 *
 * @param warn hears of a file that was not taken, or was changed.
 * @returns what a turn names them by.
 * @throws RefusedError when the server takes none.
 */
export async function uploadFiles(
  server: ServerAddress,
  files: readonly string[],
  warn: (text: string) => void,
): Promise<string[]> {
  const form = new FormData();
  let count = 0;
  for (const file of files) {
    const fault = await findFault(file);
    if (fault === undefined) {
      // Read from the disk as it is sent, not before.
      form.append('files', await openAsBlob(file), path.basename(file));
      count += 1;
    } else {
      warn(`${file} was not taken: ${fault}`);
    }
  }
  if (count === 0) return [];
  const body = await postForm(server, '/api/harness/attachments', form);
  const attachments = body['attachments'] as Uploaded['attachments'];
  const errors = body['errors'] as Uploaded['errors'];
  for (const { path: name, reason } of errors) warn(`${name} was not taken: ${reason}`);
  for (const { name, changed } of attachments) if (changed) warn(`${name}: ${changed}`);
  return attachments.map(({ id }) => id);
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
