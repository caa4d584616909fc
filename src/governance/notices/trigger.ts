import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import type { WrittenFiles } from '../../storage/shapes/stored-turn.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import type { NoticePosted } from '../../events/turn-event.js';

/** A sample of usage, in percent. */
export interface Reading {
  contextPercent: number;
  memoryPercent: number;
  diskPercent: number;
}

/** The input of triggers: data only, loaded by the caller. */
export interface TriggerFacts {
  /** `message`: before a turn's first model call. `step`: before a later call. */
  at: NoticeLevel;
  /** Model calls that have ended. */
  step: number;
  /** Whether this is the session's first turn. */
  isFirstMessage: boolean;
  config: Readonly<AgentConfig>;
  /** Limits whose soft percentage is passed (see `governance/limits/limit-warnings`). */
  warnings: readonly { kind: string; text: string; metadata: object }[];
  context: { tokens: number; window: number };
  /** Samples of this turn, oldest first: from before the turn to the current one. */
  readings: readonly Reading[];
  todos: readonly Todo[];
  /** Model calls since the todo list was written, or since the turn began. */
  stepsSinceTodos: number;
  /** A summary of earlier turns that the model was not given yet. */
  compaction?: { id: string; summary: string };
  /**
   * A change since the session's last turn that the model gets as a notice, as its prompt stays as
   * sent.
   */
  sessionChange?: string;
  /** The state of the session that the model knows with `sessionChange`, and what of it that says. */
  sessionState?: { mode: string; off: readonly string[]; said: object };
  /**
   * Files that turns wrote which are not in the conversation, as another turn took their place or the
   * session is a fork; absent where the model knows of it, and where there are none.
   */
  written?: WrittenFiles;
  /** An action whose next repetition would end the turn. */
  nearNoProgress?: { action: string };
  /** Consecutive tool errors. */
  toolErrors: number;
  lastError?: string;
  /** The project's notes for agents, on a session's first message; absent when there are none. */
  projectFacts?: string;
  /** Results that came while the turn was parked. */
  background: readonly { id: string; text: string }[];
  /** Marks of notices posted in this turn. */
  fired: ReadonlySet<string>;
}

/** A trigger of notices: data and one pure function. */
export interface Trigger {
  id: string;
  /** When it fires, for the documentation. */
  description: string;
  /** When it may fire again in a turn, for the documentation. */
  rearms: string;
  /** Order of triggers, lower first; also the urgency of their notices. */
  priority: number;
  levels: readonly NoticeLevel[];
  check(facts: TriggerFacts): readonly Omit<Notice, 'level' | 'urgency'>[];
}

/**
 * Injects the triggers that are checked before each model call: built-in ones, and those of
 * extensions.
 */
export const TRIGGERS = Symbol('Triggers');

/**
 * The notices that are due, most urgent first: those of the triggers of this level whose mark has
 * not fired in this turn. A trigger that throws is reported to `onError` and skipped, and the turn goes
 * on.
 */
export function checkTriggers(
  triggers: readonly Trigger[],
  facts: TriggerFacts,
  onError: (trigger: string, error: unknown) => void,
): Notice[] {
  const due = triggers
    .filter(({ levels }) => levels.includes(facts.at))
    .flatMap((trigger) => checkOne(trigger, facts, onError));
  const fresh = due.filter(
    ({ mark }, index) =>
      !facts.fired.has(mark) && due.findIndex((other) => other.mark === mark) === index,
  );
  return fresh.sort((a, b) => a.urgency - b.urgency);
}

function checkOne(
  { id, priority, check }: Trigger,
  facts: TriggerFacts,
  onError: (trigger: string, error: unknown) => void,
): Notice[] {
  try {
    return check(facts).map((notice) => ({ ...notice, level: facts.at, urgency: priority }));
  } catch (error) {
    onError(id, error);
    return [];
  }
}

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
