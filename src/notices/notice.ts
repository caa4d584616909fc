import type { NoticePosted } from '../events/turn-event.js';

/** `message`: before a turn's first model call. `step`: before a later one. */
export type NoticeLevel = NoticePosted['level'];

/** What the server says on the way: to the model, to the client, or to both. */
export interface Notice {
  /** What must not be said twice in one turn: the trigger, and which of its marks. */
  mark: string;
  kind: string;
  level: NoticeLevel;
  text: string;
  /** For machines. */
  metadata: Record<string, unknown>;
  seenByModel: boolean;
  /** Said first when it is lower. */
  urgency: number;
}

export interface StoredNotice extends Omit<Notice, 'urgency'> {
  /** The model hears it after this step; 0: before the first. */
  afterStep: number;
  /** Among those after one step, from 0. */
  position: number;
}
