import type { ReceiveLimits } from '../../attachments/receive-options.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of a chat's message and files, by the form of the request. */
export type ChatLimits = Readonly<Record<'json' | 'multipart', ReceiveLimits>>;

/** The contract's limits (holodeck, section 1). In JSON, a file's bytes are those it decodes to. */
export function chatLimits(settings: {
  receiveTimeoutMs: number;
  maxBodyBytes: number;
}): ChatLimits {
  const common = {
    maxFiles: 10,
    maxRequestBytes: 100 * MIB,
    // The longest message, every character of it escaped.
    maxFieldBytes: 128 * KIB,
    idleMs: settings.receiveTimeoutMs,
  };
  return {
    json: { ...common, maxFileBytes: 10 * MIB, plainBytes: settings.maxBodyBytes },
    multipart: { ...common, maxFileBytes: 50 * MIB },
  };
}
