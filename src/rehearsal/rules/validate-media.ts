import { refuse } from '../http/wire-error.js';
import type { ModelProfile } from '../models/model-profile.js';
import { blocksOf, type MessagesRequest, type RequestBlock } from '../request-types.js';
import { parseImageHeader } from './image-header.js';

const mostPixels = 8_000;
const mostPixelsOfMany = 2_000;
/** Images above which the limit of many images applies. */
const many = 20;
/** Characters of base64 in which the size of an image is looked for. */
const sizeCharacters = 400_000;

interface Media {
  type: 'image' | 'document';
  data: string;
  path: string;
}

/** @throws a 400 for more images and pages than the model takes, or for an image that is too large */
export function validateMedia(body: MessagesRequest, profile: ModelProfile): void {
  const media = body.messages.flatMap((message, index) =>
    blocksOf(message).flatMap((block, at) => mediaOf(block, `messages.${index}.content.${at}`)),
  );
  const images = media.filter(({ type }) => type === 'image');
  const documents = media.filter(({ type }) => type === 'document');
  const pages = documents.reduce((sum, { data }) => sum + pagesOf(data), 0);
  if (pages + images.length > profile.mostImages) {
    throw refuse(
      'media-count',
      `Too much media: ${pages} document pages + ${images.length} images > ${profile.mostImages}`,
    );
  }
  const isMany = images.length > many;
  const most = isMany ? mostPixelsOfMany : mostPixels;
  const over = images.filter(({ data }) => longestSide(data) > most);
  const [first] = over;
  if (first === undefined) return;
  const limit = `max allowed size${isMany ? ' for many-image requests' : ''}: ${most} pixels`;
  throw refuse(
    'image-pixels',
    `${first.path}.image.source.base64.data: At least one of the image dimensions exceed ${limit}`,
    {
      error_code: 'image_dimensions_too_large',
      max_side_length_pixels: most,
      paths: over.map(({ path }) => path.replace('.tool_result.', '.')),
    },
  );
}

function longestSide(data: string): number {
  const size = parseImageHeader(Buffer.from(data.slice(0, sizeCharacters), 'base64'));
  return size === undefined ? 0 : Math.max(size.width, size.height);
}

function mediaOf(block: RequestBlock, path: string): Media[] {
  if (block.type === 'tool_result' && Array.isArray(block.content)) {
    return block.content.flatMap((item, index) =>
      mediaOf(item, `${path}.tool_result.content.${index}`),
    );
  }
  if (block.type !== 'image' && block.type !== 'document') return [];
  const { source } = block;
  return source.type === 'base64' ? [{ type: block.type, data: source.data ?? '', path }] : [];
}

/** Pages of a PDF as far as they are not compressed, at least one. */
export function pagesOf(data: string): number {
  const text = Buffer.from(data, 'base64').toString('latin1');
  return Math.max(text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0, 1);
}
