import { refuse } from '../http/wire-error.js';
import { imageSizeOf, pagesOf } from '../media/files.js';
import type { ModelProfile } from '../models/profiles.js';
import { type MessagesRequest, type RequestBlock } from '../request-types.js';

const MAX_SIDE_PX = 8_000;
const MAX_SIDE_PX_OF_MANY = 2_000;
/** Images above which the limit of many images applies. */
const many = 20;

interface Media {
  type: 'image' | 'document';
  data: string;
  path: string;
}

/** @throws a 400 for more images and pages than the model takes, or for images that are too large */
export function checkMedia(body: MessagesRequest, profile: ModelProfile): void {
  const media = mediaOf(body);
  if (media.length === 0) return;
  const images = media.filter(({ type }) => type === 'image');
  const pages = media.reduce(
    (sum, { type, data }) => sum + (type === 'image' ? 0 : pagesOf(data)),
    0,
  );
  if (pages + images.length > profile.maxImages) {
    throw refuse(
      'media-count',
      `Too much media: ${pages} document pages + ${images.length} images > ${profile.maxImages}`,
    );
  }
  const isMany = images.length > many;
  const most = isMany ? MAX_SIDE_PX_OF_MANY : MAX_SIDE_PX;
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

/** The images of a request and its PDFs, of earlier turns and in results of tools too. */
function mediaOf({ messages }: MessagesRequest): Media[] {
  const media: Media[] = [];
  const add = (blocks: readonly RequestBlock[], path: string): void => {
    blocks.forEach((block, at) => {
      if (block.type === 'tool_result' && Array.isArray(block.content)) {
        add(block.content, `${path}.${at}.tool_result.content`);
      }
      if (block.type !== 'image' && block.type !== 'document') return;
      const { type, source } = block;
      // Every image counts; a document of another place has pages that nobody knows.
      if (type === 'document' && source.type !== 'base64') return;
      media.push({ type, data: source.data ?? '', path: `${path}.${at}` });
    });
  };
  messages.forEach(({ content }, index) => {
    if (typeof content !== 'string') add(content, `messages.${index}.content`);
  });
  return media;
}

function longestSide(data: string): number {
  const size = imageSizeOf(data);
  return size === undefined ? 0 : Math.max(size.width, size.height);
}
