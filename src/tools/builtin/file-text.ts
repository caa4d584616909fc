import { fileTypeFromBuffer } from 'file-type';
import { decodeMarked } from '../../platform/text/written-text.js';

const BOM = '\uFEFF';

/** A file's text, or what it has instead. */
export type FileText =
  | { text: string; hasBom: boolean }
  /** Text in an encoding that the file names itself by a mark. */
  | { encoding: string; text: string }
  /** What the file has, as `a PNG image`. */
  | { kind: string; isBinary: boolean };

/**
 * Reads bytes as text: in UTF-8, or in the encoding of their mark, and in no encoding that would be a guess.
 *
 * @param isCut whether they are the start of more, and may end within a letter.
 */
export async function readText(bytes: Uint8Array, isCut = false): Promise<FileText> {
  const decoded = decodeMarked(bytes, isCut);
  const { text, encoding } = decoded;
  if (encoding !== undefined) {
    return text === undefined ? { kind: `${encoding} text`, isBinary: false } : { encoding, text };
  }
  return text === undefined ? nameKind(bytes) : { text, hasBom: decoded.hasBom };
}

async function nameKind(bytes: Uint8Array): Promise<FileText> {
  const found = await fileTypeFromBuffer(bytes);
  if (found !== undefined) {
    return { kind: `a ${found.ext.toUpperCase()} file (${found.mime})`, isBinary: true };
  }
  if (bytes.includes(0))
    return { kind: 'binary, or text in UTF-16 without a mark', isBinary: true };
  return { kind: 'text in another encoding than UTF-8, or binary', isBinary: false };
}

/** A text as it is written over another: with the mark of the other, and its ends of lines if all were CRLF. */
export function keepForm(content: string, before: { text: string; hasBom: boolean }): string {
  const plain = content.startsWith(BOM) ? content.slice(BOM.length) : content;
  const isCrlf = before.text.includes('\r\n') && !/(^|[^\r])\n/.test(before.text);
  const lines = isCrlf && !plain.includes('\r\n') ? plain.replaceAll('\n', '\r\n') : plain;
  return before.hasBom || plain !== content ? BOM + lines : lines;
}

/** The bytes of a text, with the mark that its file had. */
export function toBytes(text: string, hasBom: boolean): Buffer {
  return Buffer.from(hasBom ? BOM + text : text);
}
