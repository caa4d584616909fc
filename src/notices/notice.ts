import type { NoticePosted } from '../events/turn-event.js';

/** `message`: before a turn's first model call. `step`: before a later call. */
export type NoticeLevel = NoticePosted['level'];

/** A message of the server during a turn: to the model, to the client, or to both. */
export interface Notice {
  /** Key of the notice, with its trigger's id: a notice is posted once a turn for each mark. */
  mark: string;
  kind: string;
  level: NoticeLevel;
  text: string;
  /** Machine-readable details. */
  metadata: Record<string, unknown>;
  seenByModel: boolean;
  /** Order of notices that are due together: lower first. */
  urgency: number;
}

export interface StoredNotice extends Omit<Notice, 'urgency'> {
  /** The step after which the model sees the notice; 0: before the first. */
  afterStep: number;
  /** Index among the notices after one step, from 0. */
  position: number;
}

/** A notice that is about to be posted. */
export type NewNotice = Omit<StoredNotice, 'afterStep' | 'position'>;

/**
 * A notice for a model that takes no system messages inside a conversation: a block that no other text can
 * imitate (see `escapeSystemTags`).
 */
export function asSystemBlock(type: string, text: string): string {
  return `<system_message type="${type}">${escapeSystemTags(text)}</system_message>`;
}

/** Escapes `<system_message>` tags in the text of people, files and tools. */
export function escapeSystemTags(text: string): string {
  return text.replaceAll(/<(\s*\/?\s*)(?=system_message\b)/gi, '&lt;$1');
}
