import type { JsonLimits } from '../platform/text/json-meter.js';
import type { BodyRules } from '../http/errors/body-errors.js';
import type { BodyKind } from '../http/body-limit.decorator.js';

/**
 * Limits far beyond any legitimate body. Code that walks a body overflows its stack beyond many
 * more levels; code that transforms one takes time that grows with the square of an object's keys.
 */
const commonLimits: JsonLimits = { levels: 64, keys: 1_000, values: 10_000 };

/** Limits of conversations: no validator transforms them, and only their end is used. */
const conversationLimits: JsonLimits = { ...commonLimits, values: 100_000 };

/** The limits of bodies that the server reads, by the kind that a route declares. Pure. */
export function bodyRules(config: {
  maxBodyBytes: number;
  maxConversationBytes: number;
}): Readonly<Record<Exclude<BodyKind, 'unread'>, BodyRules>> {
  return {
    plain: {
      maxBytes: config.maxBodyBytes,
      variable: 'TURNPIKE_MAX_BODY_BYTES',
      limits: commonLimits,
    },
    conversation: {
      maxBytes: config.maxConversationBytes,
      variable: 'TURNPIKE_MAX_CONVERSATION_BYTES',
      limits: conversationLimits,
    },
  };
}
