import type { Clock } from '../../platform/clock.js';
import type { BlobStore } from '../blobs/blob-store.js';

/** What requests with files are received with. */
export interface ReceiveDeps {
  store: Pick<BlobStore, 'put'>;
  clock: Clock;
}
