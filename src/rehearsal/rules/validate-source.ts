import { isBase64 } from '../../platform/text/is-base64.js';
import { isPlainObject } from '../../platform/json.js';
import { refuse } from '../http/wire-error.js';
import { imageKind } from './image-header.js';

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** Most characters of an image's base64, which the API measures. */
const mostImageBytes = 10 * 1024 * 1024;
/** Characters of base64 that tell the type of a file. */
const headerCharacters = 64;

/** @throws a 400 for a source whose data does not have the type it gives */
export function validateSource(source: unknown, kind: 'image' | 'document', path: string): void {
  const at = `${path}.source`;
  if (!isPlainObject(source) || typeof source['type'] !== 'string') {
    throw refuse('request-shape', `${at}: Field required`);
  }
  if (source['type'] === 'text') requireData(source, at);
  if (source['type'] !== 'base64') return;
  const { data, mediaType } = requireData(source, at);
  if (data === '' || !isBase64(data)) {
    throw refuse('request-shape', `${at}.base64.data: Invalid base64 data`);
  }
  const known = kind === 'image' ? imageTypes : ['application/pdf'];
  if (!known.includes(mediaType)) {
    const expected = known.map((type) => `'${type}'`).join(', ');
    throw refuse('request-shape', `${at}.base64.media_type: Input should be ${expected}`);
  }
  if (kind === 'image') validateImage(data, mediaType, `${at}.base64`);
  else if (!isPdf(data))
    throw refuse('pdf-type', `${at}.base64.data: The PDF specified was not valid.`);
}

function requireData(
  source: Record<string, unknown>,
  path: string,
): { data: string; mediaType: string } {
  const { data, media_type: mediaType } = source;
  if (typeof data !== 'string' || data === '') {
    throw refuse('request-shape', `${path}.data: Field required`);
  }
  if (typeof mediaType !== 'string') {
    throw refuse('request-shape', `${path}.media_type: Field required`);
  }
  return { data, mediaType };
}

function validateImage(data: string, mediaType: string, path: string): void {
  if (data.length > mostImageBytes) {
    const sizes = `${data.length} bytes > ${mostImageBytes} bytes`;
    throw refuse('image-bytes', `${path}: image exceeds 10 MB maximum: ${sizes}`);
  }
  const kind = imageKind(Buffer.from(data.slice(0, headerCharacters), 'base64'));
  if (kind === undefined) throw refuse('image-type', 'Could not process image');
  if (kind === mediaType) return;
  throw refuse(
    'image-type',
    `${path}: The image was specified using the ${mediaType} media type, ` +
      `but the image appears to be a ${kind} image`,
  );
}

function isPdf(data: string): boolean {
  return Buffer.from(data.slice(0, headerCharacters), 'base64').includes('%PDF-');
}
