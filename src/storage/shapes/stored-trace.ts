/** The ids of a span, as the headers of W3C Trace Context write them. */
export interface StoredTrace {
  /** `00-<32 hex digits of the trace>-<16 of the span>-<2 of flags>`. */
  traceparent: string;
  /** Vendors’ values beside it; absent: none. */
  tracestate?: string;
}
