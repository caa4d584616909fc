import { Tracing } from '../../../src/telemetry/tracing.js';

/** Tracing without content, into whatever is registered. */
export const plainTracing = new Tracing({ traceContent: false }, (text) => text);
