/** What a request with files may hold at most; exactly that much is taken. */
export interface ReceiveLimits {
  maxFiles: number;
  /** Bytes of one file. */
  maxFileBytes: number;
  /** Bytes of the body. */
  maxRequestBytes: number;
  /** Bytes of one field of a form, or of all of a JSON document but its files. */
  maxFieldBytes: number;
  /** Bytes of a JSON body that is parsed in one piece; 1 MiB when absent. */
  plainBytes?: number;
  /** How long nothing may come, in milliseconds. */
  idleMs: number;
}
