import { formatCount } from '../../../components/format.js';
import type { Item, NoticeItem } from '../conversation/turn-view.js';

type Facts = NoticeItem['metadata'];

/** What notices to the model are about, by kind. */
const subjects: Record<string, (facts: Facts) => string> = {
  'iteration-limit': (facts) => left(facts, 'steps'),
  'token-limit': (facts) => left(facts, 'tokens'),
  'time-limit': (facts) => left(facts, 'seconds'),
  'cost-limit': ({ current_value: used, limit_value: limit }) =>
    `$${String(used)} of $${String(limit)} used`,
  'tool-limit': () => 'a step asked for more tool calls than may run',
  'limit-reached': () => 'one reply left, without tools',
  'no-progress-nudge': () => 'the same action keeps giving the same result',
  'error-streak': () => 'tool calls fail one after another',
  'context-usage': ({ percent }) => `${String(percent)}% of the context window is used`,
  'resource-usage': ({ percent, resource }) =>
    `${String(percent)}% of the ${String(resource)} used`,
  'session-start': () => 'what the project and its todo list have',
  'session-change': () => 'the permission mode or the tools changed',
  'files-kept': ({ paths, more }) => `files were not changed back${listed(paths, more)}`,
  'compact-summary': () => 'a summary of the conversation so far',
  'background-result': () => 'a call ended while the turn waited',
  'todo-reminder': ({ todos }) => `open todos: ${String(todos)}`,
  'output-format': () => 'the reply must be a JSON object',
  'output-repair': () => 'the reply is not the object that was asked for',
};

const warnings: ReadonlySet<string> = new Set([
  'iteration-limit',
  'token-limit',
  'time-limit',
  'cost-limit',
  'limit-reached',
  'no-progress-nudge',
  'error-streak',
]);

const ends: ReadonlySet<string> = new Set(['limit-reached', 'no-progress', 'error-limit']);

/** A line for people about a notice to the model; undefined: the notice is worded for people already. Pure. */
export function describeNotice({ noticeKind, metadata, seenByModel }: NoticeItem) {
  if (!seenByModel) return undefined;
  const about = subjects[noticeKind]?.(metadata) ?? noticeKind.replaceAll('-', ' ');
  return `${warnings.has(noticeKind) ? 'Warning' : 'Note'} to the model: ${about}`;
}

/** Whether the reply itself ends with the same: that a limit ended the turn, and which. Pure. */
export function isRepeatedByReply(
  { noticeKind, seenByModel }: NoticeItem,
  items: readonly Item[],
): boolean {
  if (seenByModel || !ends.has(noticeKind)) return false;
  const last = items.findLast((item) => item.kind === 'text');
  return last !== undefined && /(?:^|\n)\[Stopped: [^\n]*\]$/.test(last.text);
}

/** `1 of 15 steps left` */
function left({ current_value: used, limit_value: limit }: Facts, what: string): string {
  if (typeof used !== 'number' || typeof limit !== 'number') return `few ${what} left`;
  return `${formatCount(limit - used)} of ${formatCount(limit)} ${what} left`;
}

/** `: a.txt, b.txt and 3 more` */
function listed(paths: unknown, more: unknown): string {
  if (!Array.isArray(paths) || paths.length === 0) return '';
  return `: ${paths.join(', ')}${typeof more === 'number' && more > 0 ? ` and ${more} more` : ''}`;
}
