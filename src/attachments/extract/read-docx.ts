import mammoth from 'mammoth';
import { checkArchive } from './open-archive.js';
import { htmlToText } from './read-html.js';
import type { TextFound } from './text-found.js';

/** Paragraphs, lists and tables; images are left out. */
export async function readDocx(content: Buffer): Promise<TextFound> {
  await checkArchive(content);
  const withoutImages = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml(
    { buffer: content },
    { convertImage: withoutImages },
  );
  return { text: htmlToText(value), via: 'text' };
}
