import path from 'node:path/posix';
import { SaxesParser } from 'saxes';
import { fromBufferPromise, type ZipFile } from 'yauzl';
import { FileFault } from '../extraction-types.js';

/** Nested elements at most: more is an attack. */
const MAX_DEPTH = 200;

export interface XmlListener {
  open?(name: string, attributes: Record<string, string>): void;
  /** @param name the element that has the text. */
  text?(text: string, name: string): void;
  close?(name: string): void;
}

/**
 * Parses a part of an office document, element by element; a missing part has no elements.
 *
 * @param nameOf makes the names that the listener gets. Default: those of the document, `x:row`.
 */
export function parseXml(
  part: Buffer | undefined,
  listener: XmlListener,
  nameOf = (qualified: string): string => qualified,
): void {
  if (part === undefined) return;
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new FileFault('is damaged: a part of it is no whole XML', { cause: error });
  });
  parser.on('opentag', ({ name: qualified, attributes }) => {
    const name = nameOf(qualified);
    open.push(name);
    if (open.length > MAX_DEPTH) throw new FileFault('is damaged: its elements are too deep');
    listener.open?.(name, attributes);
  });
  const onText = (text: string): void => listener.text?.(text, open.at(-1) ?? '');
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', ({ name }) => {
    open.pop();
    listener.close?.(nameOf(name));
  });
  parser.write(part.toString('utf8')).close();
}

/** The same with names without their prefix, `row` for `x:row`: programs differ in prefixes. */
export function parseUnprefixed(part: Buffer | undefined, listener: XmlListener): void {
  parseXml(part, listener, (name) => name.slice(name.indexOf(':') + 1));
}

const MAX_ENTRIES = 2_000;
const MAX_BYTES = 200 * 1024 * 1024;

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
  if (archive.entryCount > MAX_ENTRIES) {
    throw new FileFault(`has ${archive.entryCount} parts; at most ${MAX_ENTRIES} are read`);
  }
  const kept = new Map<string, Buffer>();
  let left = MAX_BYTES;
  for await (const entry of archive.eachEntry()) {
    if (entry.isEncrypted()) throw new FileFault('is locked with a password: remove it');
    const isKept = isWanted(entry.fileName);
    const chunks: Buffer[] = [];
    const unpacked: AsyncIterable<Buffer> = await archive.openReadStreamPromise(entry);
    for await (const chunk of unpacked) {
      left -= chunk.length;
      if (left < 0) throw new FileFault(`unpacks to more than ${MAX_BYTES} bytes, and is not read`);
      if (isKept) chunks.push(chunk);
    }
    if (isKept) kept.set(entry.fileName, Buffer.concat(chunks));
  }
  return kept;
}

async function open(content: Buffer): Promise<ZipFile> {
  try {
    // Claimed sizes are ignored: the bytes are counted, and a wrong claim is no fault of the content.
    return await fromBufferPromise(content, { lazyEntries: true, validateEntrySizes: false });
  } catch (cause) {
    throw new FileFault('is no document of its kind: it is no whole zip archive', { cause });
  }
}

/** The parts of an office document, by name. */
export type Parts = ReadonlyMap<string, Buffer>;

export interface Relation {
  id: string;
  type: string;
  /** Name of the part that is referred to. */
  target: string;
}

/** The relations of a part of an office document. */
export function parseRelations(parts: Parts, part: string): Relation[] {
  const folder = path.dirname(part);
  const relations: Relation[] = [];
  parseXml(parts.get(`${folder}/_rels/${path.basename(part)}.rels`), {
    open: (name, { Id: id = '', Type: type = '', Target: target = '' }) => {
      if (name !== 'Relationship') return;
      const isAbsolute = target.startsWith('/');
      relations.push({
        id,
        type,
        target: isAbsolute ? target.slice(1) : path.join(folder, target),
      });
    },
  });
  return relations;
}
