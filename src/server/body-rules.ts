import type { JsonLimits } from '../platform/json-meter.js';
import type { BodyRules } from '../http/body-errors.js';

/** Routes whose clients send the whole conversation each time. */
const takesConversations = (url: string): boolean =>
  /^\/(agent\/[^/?]+\/ag-ui|awp|api\/chat)\/?(?:\?|$)/i.test(url);

/** Routes that stream their bodies themselves. */
const takesFiles = (url: string): boolean =>
  /^\/(agent(?!\/[^/?]+\/ag-ui(?:[/?]|$))|api\/harness\/attachments)\b/i.test(url);

/**
 * Limits far beyond any legitimate body. Code that walks a body overflows its stack beyond many
 * more levels; code that transforms one takes time that grows with the square of an object's keys.
 */
const commonLimits: JsonLimits = { levels: 64, keys: 1_000, values: 10_000 };

/** Limits of conversations: no validator transforms them, and only their end is used. */
const conversationLimits: JsonLimits = { ...commonLimits, values: 100_000 };

/** Limits of each route's body; undefined for a route that reads its body itself. Pure. */
export function bodyRules(config: {
  maxBodyBytes: number;
  maxConversationBytes: number;
}): (url: string) => BodyRules | undefined {
  const common: BodyRules = {
    maxBytes: config.maxBodyBytes,
    variable: 'TURNPIKE_MAX_BODY_BYTES',
    limits: commonLimits,
  };
  const conversation: BodyRules = {
    maxBytes: config.maxConversationBytes,
    variable: 'TURNPIKE_MAX_CONVERSATION_BYTES',
    limits: conversationLimits,
  };
  return (url) => {
    if (takesFiles(url)) return undefined;
    return takesConversations(url) ? conversation : common;
  };
}
