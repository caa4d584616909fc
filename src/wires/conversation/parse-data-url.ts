import { isBase64 } from '../../platform/text/is-base64.js';

export interface DataUrl {
  bytes: Buffer;
}

/** The content of a `data:` URL; undefined for text that is none. Pure. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const head = url.slice(0, comma);
  const body = url.slice(comma + 1);
  if (/;base64$/i.test(head)) return parseBase64(body);
  try {
    return { bytes: Buffer.from(decodeURIComponent(body)) };
  } catch {
    return undefined;
  }
}

function parseBase64(text: string): DataUrl | undefined {
  if (text.length % 4 !== 0 || !isBase64(text)) return undefined;
  return { bytes: Buffer.from(text, 'base64') };
}
