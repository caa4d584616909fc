import type { Clock } from '../platform/clock.js';
import type { BlobStore } from './blob-store.js';

/** Limits of a request with files, each inclusive. */
export interface ReceiveLimits {
  maxFiles: number;
  /** Bytes of one file. */
  maxFileBytes: number;
  /** Bytes of the body. */
  maxRequestBytes: number;
  /** Bytes of one field of a form, or of all of a JSON document but its files. */
  maxFieldBytes: number;
  /** Bytes of a JSON body that is parsed in one piece. Default: 1 MiB. */
  plainBytes?: number;
  /** Milliseconds without a byte after which the request is refused. */
  idleMs: number;
}

export interface ReceiveOptions {
  /** The store that files go to while they come. */
  store: Pick<BlobStore, 'put'>;
  clock: Clock;
  limits: ReceiveLimits;
}
