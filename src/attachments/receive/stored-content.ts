import type { StoredBlob } from '../blobs/measure-content.js';

/**
 * What is put in a document in place of a base64 text that was stored. A class: no document can
 * bring one of its own and name a content it never sent.
 */
export class StoredContent {
  constructor(readonly blob: StoredBlob) {}
}
