import type { AcceptedRequest } from '../accept-request.js';
import { refuse } from '../http/wire-error.js';
import type { CountText } from './load-tokenizer.js';
import { totalOf } from './prompt-cache.js';
import { promptItems, type PromptItem } from './prompt-items.js';

/** @throws a 400 for a prompt over the model's window */
export function countPrompt(
  { body, profile }: AcceptedRequest,
  count: CountText,
): { items: PromptItem[]; total: number } {
  const items = promptItems(body, profile, count);
  const total = totalOf(items, profile);
  if (total <= profile.window) return { items, total };
  throw refuse(
    'prompt-too-long',
    `prompt is too long: ${total} tokens > ${profile.window} maximum`,
  );
}
