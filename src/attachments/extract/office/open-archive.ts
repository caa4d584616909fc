import { fromBufferPromise, getFileNameLowLevel, type Entry, type ZipFile } from 'yauzl';
import { decodeStrictly } from '../../../platform/text/well-formed.js';
import { FileFault } from '../extraction-types.js';

const MAX_ENTRIES = 2_000;
const MAX_BYTES = 200 * 1024 * 1024;
/** Bytes by which an entry is taken for XML. */
const HEAD_BYTES = 64;
/** XML in UTF-8 or UTF-16, with a byte order mark or without. */
const xmlHead = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</;

/** An entry of an archive. */
export interface ArchiveEntry {
  /** As in the archive, with `/` between folders. */
  name: string;
  /** Undefined for what is no XML: a picture, a font. */
  xml: Buffer | undefined;
}

/**
 * The entries of a zip archive. All are unpacked, and those that are no XML are dropped: an entry's true size is
 * known only from its bytes.
 *
 * @throws FileFault when it is no zip archive, is locked, or unpacks to more than 200 MiB.
 */
export async function openArchive(content: Buffer): Promise<ArchiveEntry[]> {
  const archive = await open(content);
  if (archive.entryCount > MAX_ENTRIES) {
    throw new FileFault(`has ${archive.entryCount} parts; at most ${MAX_ENTRIES} are read`);
  }
  const entries: ArchiveEntry[] = [];
  let left = MAX_BYTES;
  for await (const entry of archive.eachEntry()) {
    if (entry.isEncrypted()) throw new FileFault('is locked with a password: remove the password');
    const kept = new XmlBytes();
    const unpacked: AsyncIterable<Buffer> = await archive.openReadStreamPromise(entry);
    for await (const chunk of unpacked) {
      left -= chunk.length;
      if (left < 0) throw new FileFault(`unpacks to more than ${MAX_BYTES} bytes, and is not read`);
      kept.add(chunk);
    }
    entries.push({ name: nameOf(entry), xml: kept.end() });
  }
  return entries;
}

/** Collects the bytes of an entry as long as they may be XML. */
class XmlBytes {
  #chunks: Buffer[] = [];
  #length = 0;
  #isXml: boolean | undefined;

  add(chunk: Buffer): void {
    if (this.#isXml === false) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#isXml === undefined && this.#length >= HEAD_BYTES) this.#decide();
  }

  /** An empty entry may be a damaged part. */
  end(): Buffer | undefined {
    if (this.#isXml === undefined && this.#length > 0) this.#decide();
    return this.#isXml === false ? undefined : Buffer.concat(this.#chunks);
  }

  #decide(): void {
    const content = Buffer.concat(this.#chunks);
    this.#isXml = xmlHead.test(content.subarray(0, HEAD_BYTES).toString('latin1'));
    this.#chunks = this.#isXml ? [content] : [];
  }
}

async function open(content: Buffer): Promise<ZipFile> {
  try {
    return await fromBufferPromise(content, {
      lazyEntries: true,
      // Claimed sizes are ignored: the bytes are counted, and a wrong claim is no fault of the content.
      validateEntrySizes: false,
      // No name becomes a path: an absolute one does no harm.
      decodeStrings: false,
    });
  } catch (cause) {
    throw new FileFault('is not what its name says: it is not a complete zip archive', { cause });
  }
}

/** Many programs write names in UTF-8 without saying so. */
function nameOf(entry: Entry): string {
  const { generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields } = entry;
  const name = decodeStrictly(raw) ?? getFileNameLowLevel(flags, raw, extraFields, false);
  return name.replaceAll('\\', '/');
}
