import { fromBufferPromise, type ZipFile } from 'yauzl';
import { FileFault } from '../file-fault.js';

const MOST_ENTRIES = 2_000;
const MOST_BYTES = 200 * 1024 * 1024;

/**
 * The wanted entries of a zip archive, by name. All other entries are unpacked too and dropped: an
 * entry's true size is known only from its bytes.
 *
 * @throws FileFault when it is no zip archive, is locked, or unpacks to more than 200 MiB.
 */
export async function openArchive(
  content: Buffer,
  isWanted: (name: string) => boolean,
): Promise<Map<string, Buffer>> {
  const archive = await open(content);
  if (archive.entryCount > MOST_ENTRIES) {
    throw new FileFault(`has ${archive.entryCount} parts; at most ${MOST_ENTRIES} are read`);
  }
  const wanted = new Map<string, Buffer>();
  let left = MOST_BYTES;
  for await (const entry of archive.eachEntry()) {
    if (entry.isEncrypted()) throw new FileFault('is locked with a password: remove it');
    const isKept = isWanted(entry.fileName);
    const chunks: Buffer[] = [];
    const unpacked: AsyncIterable<Buffer> = await archive.openReadStreamPromise(entry);
    for await (const chunk of unpacked) {
      left -= chunk.length;
      if (left < 0)
        throw new FileFault(`unpacks to more than ${MOST_BYTES} bytes, and is not read`);
      if (isKept) chunks.push(chunk);
    }
    if (isKept) wanted.set(entry.fileName, Buffer.concat(chunks));
  }
  return wanted;
}

async function open(content: Buffer): Promise<ZipFile> {
  try {
    // Claimed sizes are ignored: the bytes are counted, and a wrong claim is no fault of the content.
    return await fromBufferPromise(content, { lazyEntries: true, validateEntrySizes: false });
  } catch (cause) {
    throw new FileFault('is no document of its kind: it is no whole zip archive', { cause });
  }
}
