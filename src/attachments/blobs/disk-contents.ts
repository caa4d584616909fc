import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../platform/error-code.js';
import type { BlobContents } from '../blob-store.js';
import { closing } from '../../platform/files/folder-handle.js';
import { rechunk } from '../../platform/rechunk.js';

/** Bytes of one write. */
const PIECE_BYTES = 256 * 1024;

/** Contents as files, `<folder>/ab/<contentId>`: for one process, or for several on a shared disk. */
export class DiskContents implements BlobContents {
  constructor(private readonly folder: string) {}

  async write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = this.#file(contentId);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const draft = draftOf(file);
    const handle = await open(draft, 'wx', 0o600);
    await closing(handle, async () => {
      for await (const bytes of rechunk(content, PIECE_BYTES)) await writeAll(handle, bytes);
      await handle.sync();
    });
    await rename(draft, file);
    await syncFolder(path.dirname(file));
  }

  async has(contentId: string, size: number): Promise<boolean> {
    const stats = await orUndefined(stat(this.#file(contentId)));
    return stats?.size === size;
  }

  async read(contentId: string, size: number): Promise<Buffer | undefined> {
    const handle = await orUndefined(open(this.#file(contentId), 'r'));
    if (handle === undefined) return undefined;
    return closing(handle, async () =>
      (await handle.stat()).size === size ? handle.readFile() : undefined,
    );
  }

  async *pieces(contentId: string): AsyncGenerator<Uint8Array> {
    const handle = await orUndefined(open(this.#file(contentId), 'r'));
    if (handle === undefined) return;
    try {
      for await (const bytes of handle.createReadStream({
        highWaterMark: PIECE_BYTES,
        autoClose: false,
      })) {
        yield bytes as Buffer;
      }
    } finally {
      await handle.close();
    }
  }

  async remove(contentId: string): Promise<void> {
    const file = this.#file(contentId);
    await Promise.all([rm(file, { force: true }), rm(draftOf(file), { force: true })]);
  }

  #file(contentId: string): string {
    const start = contentId.indexOf('_') + 1;
    return path.join(this.folder, contentId.slice(start, start + 2), contentId);
  }
}

/** Name of a file while it is written: a file under its final name is whole. */
const draftOf = (file: string): string => `${file}.part`;

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await handle.write(bytes, written)).bytesWritten;
  }
}

/** Syncs a folder: a file's name is durable only when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await closing(handle, () => handle.sync());
}

async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
