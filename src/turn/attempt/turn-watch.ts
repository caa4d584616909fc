import type { Facts } from '../../notices/trigger.js';
import type { Todo } from '../../storage/shapes/todo.js';

/** What triggers look at beside the loop's own state. */
export interface TurnWatch {
  /** The session has no other turn. */
  isFirstMessage: boolean;
  /** A sentence about the notes for agents in the project; undefined: there are none, or it is not the first turn. */
  projectFacts: string | undefined;
  /** Tokens of the conversation before this turn, as far as its last turn told. */
  contextBefore: number;
  todos: readonly Todo[];
  /** The step that last wrote them; 0: none of this turn. */
  todosTouchedAt: number;
  /** The summary that stands for earlier turns, when no turn has been told of it. */
  compaction: { id: string; summary: string } | undefined;
  /** What the model is told of in place of a change of what was sent before. */
  sessionChange: string | undefined;
  /** Results that came while the turn was parked. */
  arrived: Facts['background'];
  /** Of every look so far, oldest first. */
  readings: readonly Resources[];
  readResources(): Promise<Omit<Resources, 'contextPercent'>>;
}

export interface Resources {
  contextPercent: number;
  /** Of what this process may use at most. */
  memoryPercent: number;
  /** Of the disk the project is on. */
  diskPercent: number;
}
