import { crc32, deflateRawSync } from 'node:zlib';

/**
 * A zip archive of some files: name → content.
 *
 * @param hasDescriptors whether sizes are written behind each file, as by programs that write to a stream.
 */
export function testZip(
  files: readonly (readonly [string, Buffer])[],
  { hasDescriptors = false } = {},
): Buffer {
  let offset = 0;
  const locals: Buffer[] = [];
  const entries = files.map(([name, content]) => {
    const packed = deflateRawSync(content);
    const flags = hasDescriptors ? SIZES_BEHIND : 0;
    const facts = factsOf(content, packed, name, flags);
    const sizes = facts.subarray(SIZES_AT, SIZES_AT + SIZES_BYTES);
    const descriptor = hasDescriptors ? [words(['w', 0x08074b50]), sizes] : [];
    const head = Buffer.from(facts);
    if (hasDescriptors) head.fill(0, SIZES_AT, SIZES_AT + SIZES_BYTES);
    const local = Buffer.concat([
      words(['w', 0x04034b50]),
      head,
      Buffer.from(name),
      packed,
      ...descriptor,
    ]);
    const entry = Buffer.concat([
      words(['w', 0x02014b50], ['h', 20]),
      facts,
      words(['h', 0], ['h', 0], ['h', 0], ['w', 0], ['w', offset]),
      Buffer.from(name),
    ]);
    locals.push(local);
    offset += local.length;
    return entry;
  });
  const directory = Buffer.concat(entries);
  const counts: Word[] = [
    ['h', 0],
    ['h', 0],
    ['h', files.length],
    ['h', files.length],
  ];
  const end = words(['w', 0x06054b50], ...counts, ['w', directory.length], ['w', offset], ['h', 0]);
  return Buffer.concat([...locals, directory, end]);
}

/** Flag of a file whose checksum and sizes are behind it. */
const SIZES_BEHIND = 8;
/** Where the checksum and the sizes are in the facts. */
const SIZES_AT = 10;
const SIZES_BYTES = 12;

type Word = readonly ['h' | 'w', number];

/** Fields that a file's header and its directory entry share. */
function factsOf(content: Buffer, packed: Buffer, name: string, flags: number): Buffer {
  const deflate = 8;
  return words(
    ...([20, flags, deflate, 0, 0] as const).map((value): Word => ['h', value]),
    ['w', crc32(content)],
    ['w', packed.length],
    ['w', content.length],
    ['h', Buffer.byteLength(name)],
    ['h', 0],
  );
}

/** Little-endian integers: `h` has 16 bits, `w` 32. */
function words(...values: readonly Word[]): Buffer {
  return Buffer.concat(
    values.map(([kind, value]) => {
      const bytes = Buffer.alloc(kind === 'h' ? 2 : 4);
      if (kind === 'h') bytes.writeUInt16LE(value);
      else bytes.writeUInt32LE(value);
      return bytes;
    }),
  );
}
