import type { HarnessFrames } from './server-types.js';

/** A frame of a subagent's own stream has a name of its own, and says whose it is. */
type SubagentFrames = {
  [Name in keyof HarnessFrames as `subagent:${Name}`]: HarnessFrames[Name] & {
    childTurnId: string;
    parentToolUseId: string;
  };
};

/** Event name → the fields of its data, those of subagents among them. */
export type TurnEvents = HarnessFrames & SubagentFrames;

/**
 * One event of a turn, told from the others by `event`. A newer server may send names that are not
 * among these: let a `switch` pass them by.
 */
export type HarnessEvent = {
  [Name in keyof TurnEvents]: {
    event: Name;
    /** Where it is in the turn: a reader goes on after it with this as `after`. */
    id: string;
    data: TurnEvents[Name];
  };
}[keyof TurnEvents];
