import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import type { Notice, NoticeLevel } from './notice.js';
import type { Todo } from './todo.js';

/** One look at what may fill up, in percent. */
export interface Reading {
  contextPercent: number;
  memoryPercent: number;
  diskPercent: number;
}

/** Everything a trigger may look at. Data only: whoever checks has read it. */
export interface Facts {
  /** `message`: before a turn's first model call. `step`: before a later one. */
  at: NoticeLevel;
  /** Model calls that are done. */
  step: number;
  /** The session had no turn before. */
  isFirstMessage: boolean;
  config: Readonly<AgentConfig>;
  /** Soft marks of limits that are passed (see `governance/limits/limit-warnings`). */
  warnings: readonly { kind: string; text: string; metadata: object }[];
  context: { tokens: number; window: number };
  /** Of every look of this turn, this one last; the first is of before the turn. */
  readings: readonly Reading[];
  todos: readonly Todo[];
  /** Model calls since the list was written, or since the turn began. */
  stepsSinceTodos: number;
  /** A summary that stands for earlier turns and was not told yet. */
  compaction?: { id: string; summary: string };
  /** What changed since the session's last turn, where the model is told instead of shown. */
  sessionChange?: string;
  /** One more of the same would end the turn. */
  nearNoProgress?: { action: string };
  /** Tool errors in a row. */
  toolErrors: number;
  lastError?: string;
  /** Of the project, on a session's first message; absent where there is nothing to say. */
  projectFacts?: string;
  /** What the session waited for and has come. */
  background: readonly { id: string; text: string }[];
  /** Marks that were said in this turn. */
  fired: ReadonlySet<string>;
}

/** Data and one pure function: adding one touches nothing else. */
export interface Trigger {
  id: string;
  name: string;
  /** When it fires, for the documentation. */
  description: string;
  /** When it may fire again, for the documentation. */
  rearms: string;
  /** Looked at first when it is lower; also how urgent its notices are. */
  priority: number;
  enabled: boolean;
  levels: readonly NoticeLevel[];
  check(facts: Facts): readonly Omit<Notice, 'level' | 'urgency'>[];
}

/** Injects the triggers that are asked before each model call: the server's, and those of extensions. */
export const TRIGGERS = Symbol('Triggers');
