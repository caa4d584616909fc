import { refuse } from '../http/wire-error.js';
import { imageSizeOf, pagesOf } from '../media/files.js';
import type { ModelProfile } from '../models/profiles.js';
import { pathOf, type PlacedBlock, type RequestBlock } from '../request-types.js';

const MAX_SIDE_PX = 8_000;
const MAX_SIDE_PX_OF_MANY = 2_000;
/** Images above which the limit of many images applies. */
const many = 20;

/** @throws a 400 for more images and pages than the model takes, or for images that are too large */
export function checkMedia(blocks: readonly PlacedBlock[], profile: ModelProfile): void {
  // All images count, also those of earlier turns and of results. Pages of a PDF count only if it is sent as base64.
  const images = blocks.filter(({ block }) => block.type === 'image');
  const pages = blocks.reduce((sum, { block }) => {
    return block.type === 'document' ? sum + pagesOf(dataOf(block)) : sum;
  }, 0);
  if (pages + images.length > profile.maxImages) {
    throw refuse(
      'media-count',
      `Too much media: ${pages} document pages + ${images.length} images > ${profile.maxImages}`,
    );
  }
  const isMany = images.length > many;
  const most = isMany ? MAX_SIDE_PX_OF_MANY : MAX_SIDE_PX;
  const over = images.filter(({ block }) => longestSide(block) > most);
  const [first] = over;
  if (first === undefined) return;
  const limit = `max allowed size${isMany ? ' for many-image requests' : ''}: ${most} pixels`;
  throw refuse(
    'image-pixels',
    `${pathOf(first, '.tool_result')}.image.source.base64.data: At least one of the image ` +
      `dimensions exceed ${limit}`,
    {
      error_code: 'image_dimensions_too_large',
      max_side_length_pixels: most,
      paths: over.map((image) => pathOf(image)),
    },
  );
}

/** The base64 of a file; empty where it is sent in another form. */
function dataOf(block: RequestBlock): string {
  const isFile = block.type === 'image' || block.type === 'document';
  return isFile && block.source.type === 'base64' ? (block.source.data ?? '') : '';
}

function longestSide(image: RequestBlock): number {
  const size = imageSizeOf(dataOf(image));
  return size === undefined ? 0 : Math.max(size.width, size.height);
}
