import type { JsonLimits } from '../platform/json-meter.js';
import type { BodyRules } from '../http/body-errors.js';

/** Routes whose clients send the whole conversation each time. */
const takesConversations = (url: string): boolean =>
  /^\/(agent\/[^/?]+\/ag-ui|awp|api\/chat)\/?(?:\?|$)/i.test(url);

/** Routes that read their bodies themselves, as they come. */
const takesFiles = (url: string): boolean =>
  /^\/(agent(?!\/[^/?]+\/ag-ui(?:[/?]|$))|api\/harness\/attachments)\b/i.test(url);

/**
 * Far beyond any body that is meant. What walks one runs out of stack beyond many more levels; what
 * transforms one takes time that grows with the square of an object's keys.
 */
const commonLimits: JsonLimits = { levels: 64, keys: 1_000, values: 10_000 };

/** Of a conversation: no validator transforms it, and what is read of it is its end. */
const conversationLimits: JsonLimits = { ...commonLimits, values: 100_000 };

/** What the body of each route may hold; undefined for one that reads its body itself. Pure. */
export function bodyRules(settings: {
  maxBodyBytes: number;
  maxConversationBytes: number;
}): (url: string) => BodyRules | undefined {
  const common: BodyRules = {
    maxBytes: settings.maxBodyBytes,
    setting: 'TURNPIKE_MAX_BODY_BYTES',
    limits: commonLimits,
  };
  const conversation: BodyRules = {
    maxBytes: settings.maxConversationBytes,
    setting: 'TURNPIKE_MAX_CONVERSATION_BYTES',
    limits: conversationLimits,
  };
  return (url) => {
    if (takesFiles(url)) return undefined;
    return takesConversations(url) ? conversation : common;
  };
}
