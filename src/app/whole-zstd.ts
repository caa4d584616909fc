const MAGIC = 0xfd2fb528;
/** The magic number of frames that decoders skip; its lowest four bits are free. */
const SKIPPABLE = 0x184d2a50;

const dictionaryBytes = [0, 1, 2, 4] as const;
const contentSizeBytes = [0, 2, 4, 8] as const;

/**
 * Whether zstd data is there to its end, by the lengths that its frames and blocks say (RFC 8878, 3.1). Node 22 takes
 * data that was cut off for data that ends there; what is in the blocks is for the decoder to judge. Pure.
 */
export function isWholeZstd(data: Uint8Array): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  while (at < data.length) {
    const end = endOfFrame(view, at);
    if (end === undefined || end > data.length) return false;
    at = end;
  }
  return true;
}

/** Where the frame at an offset ends; undefined: before it says. */
function endOfFrame(view: DataView, start: number): number | undefined {
  if (start + 5 > view.byteLength) return undefined;
  const magic = view.getUint32(start, true);
  if ((magic & 0xff_ff_ff_f0) >>> 0 === SKIPPABLE) {
    return start + 8 > view.byteLength ? undefined : start + 8 + view.getUint32(start + 4, true);
  }
  if (magic !== MAGIC) return undefined;
  const descriptor = view.getUint8(start + 4);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = contentSizeBytes[(descriptor >> 6) as 0 | 1 | 2 | 3];
  const head =
    (isSingle ? 0 : 1) +
    dictionaryBytes[(descriptor & 3) as 0 | 1 | 2 | 3] +
    (sizeBytes === 0 && isSingle ? 1 : sizeBytes);
  const checksum = (descriptor & 4) === 0 ? 0 : 4;
  const end = endOfBlocks(view, start + 5 + head);
  return end === undefined ? undefined : end + checksum;
}

function endOfBlocks(view: DataView, start: number): number | undefined {
  for (let at = start; at + 3 <= view.byteLength;) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const type = (header >> 1) & 3;
    // A block of one repeated byte has that alone; the last type is reserved.
    at += 3 + (type === 1 ? 1 : header >> 3);
    if (type === 3) return undefined;
    if ((header & 1) === 1) return at;
  }
  return undefined;
}
