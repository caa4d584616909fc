import { cutText } from '../platform/text/cut-text.js';
import { isPlainObject } from '../platform/json.js';
import { storableText } from '../storage/storable.js';

/** The hook's decision about a call. */
export interface HookAnswer {
  decision: 'allow' | 'ask' | 'deny';
  /** For the model and for people, on one line. */
  reason?: string;
}

const decisions = ['allow', 'ask', 'deny'] as const;
const LONGEST_REASON = 500;

/** Parses the body of the hook's answer, `{decision, reason?}`. @returns `fault`: what is wrong with it. Pure. */
export function parseHookAnswer(text: string): HookAnswer | { fault: string } {
  const given = parseJson(text);
  if (!isPlainObject(given)) return { fault: 'its answer is no JSON object' };
  const decision = decisions.find((one) => one === given['decision']);
  if (decision === undefined) return { fault: 'its decision is not allow, ask or deny' };
  const { reason } = given;
  if (reason === undefined || reason === null) return { decision };
  if (typeof reason !== 'string') return { fault: 'its reason is no text' };
  const words = storableText(reason).replaceAll(/[\s\p{Cc}]+/gu, ' ');
  const line = cutText(words.trim(), LONGEST_REASON);
  return line === '' ? { decision } : { decision, reason: line };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
