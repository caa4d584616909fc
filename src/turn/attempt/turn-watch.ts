import type { Facts, Trigger } from '../../notices/trigger.js';
import type { WrittenFiles } from '../../storage/shapes/stored-turn.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { Todo } from '../../storage/shapes/stored-step.js';

/** Triggers of a turn, and the facts that they look at beside the loop's own state. */
export interface TurnWatch {
  /** Triggers that are checked before each model call: the server's and those of extensions. */
  triggers: readonly Trigger[];
  /** The session has no other turn. */
  isFirstMessage: boolean;
  /** A sentence about the notes for agents in the project; undefined: there are none, or it is not the first turn. */
  projectFacts: string | undefined;
  /** Tokens of the conversation before this turn, as its last turn counted them. */
  contextBefore: number;
  todos: readonly Todo[];
  /** The step that last wrote the todo list; 0: no step of this turn. */
  todosTouchedAt: number;
  /** The summary that stands for earlier turns, while no turn has had a notice of it. */
  compaction: { id: string; summary: string } | undefined;
  /** The notice that stands for a change of the session: earlier requests stay as they were. */
  sessionChange: string | undefined;
  /** The state that `sessionChange` announces. */
  sessionState: RequestPrefix['told'];
  /** Files that were written by turns which are not in the conversation; undefined: the model knows. */
  written: WrittenFiles | undefined;
  /** Results that came while the turn was parked. */
  arrived: Facts['background'];
  /** Readings of every look so far, oldest first. */
  readings: readonly Resources[];
  measureResources(): Promise<Omit<Resources, 'contextPercent'>>;
}

export interface Resources {
  contextPercent: number;
  /** Percent of the memory that this process may use at most. */
  memoryPercent: number;
  /** Percent of the disk that the project is on. */
  diskPercent: number;
}
