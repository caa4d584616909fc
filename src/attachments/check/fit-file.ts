import type { BlobStore } from '../blob-store.js';
import { maxImageBytes, maxImageSide } from '../check-attachment.js';
import type { FileContent, Refused } from '../extract/outcomes.js';
import type { Extractor } from '../extract/extractor.js';

export interface FitDeps {
  store: Pick<BlobStore, 'put'>;
  extractor: Pick<Extractor, 'fitImage'>;
}

/** An image fitted to the model's limits; a changed image by its stored replacement. */
export type FittedImage =
  | { type: 'fits' }
  | {
      type: 'changed';
      sha256: string;
      /** Bytes. */
      size: number;
      mimeType: string;
      /** The change that was made, as `turned upright`. */
      why: string;
    }
  | Refused;

/**
 * Turns an image upright and scales it to the model's limits; a changed image is put into the
 * store.
 */
export async function fitStoredImage(
  { store, extractor }: FitDeps,
  content: FileContent,
  principalId: string,
  maxSide = maxImageSide,
): Promise<FittedImage> {
  const limits = { maxBytes: maxImageBytes, maxSide };
  const fitted = await extractor.fitImage(content, limits, principalId);
  if (fitted.type === 'refused') return fitted;
  if (fitted.type === 'fits') return { type: 'fits' };
  const { sha256, size } = await store.put(inOnePiece(fitted.content));
  return { type: 'changed', sha256, size, mimeType: fitted.mimeType, why: fitted.why };
}

/** A content as the store takes it. */
export async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
