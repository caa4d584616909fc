import type { FindOcr } from './ocr-packages.js';
import { openOcr, toPicture } from './ocr.js';
import type { ExtractedText } from '../extracted-text.js';

/** The text in an image. @throws OcrMissingError; FileFault for what is none. */
export async function extractPicture(content: Buffer, findOcr: FindOcr): Promise<ExtractedText> {
  const picture = await toPicture(content);
  const ocr = await openOcr(findOcr);
  try {
    const { text, isHardlyLegible } = await ocr.read(picture);
    const doubt = 'it is hardly legible, and what OCR read may be wrong';
    return { text, via: 'ocr', ...(isHardlyLegible ? { doubt } : {}) };
  } finally {
    await ocr.close();
  }
}
