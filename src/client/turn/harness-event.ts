import type { HarnessFrames } from '../server-types.js';

/** Frames of subagents: a prefix before the name, and the ids of their turn and call. */
type SubagentFrames = {
  [Name in keyof HarnessFrames as `subagent:${Name}`]: HarnessFrames[Name] & {
    childTurnId: string;
    parentToolUseId: string;
  };
};

/** Event name → the fields of its data, with the frames of subagents. */
export type TurnEvents = HarnessFrames & SubagentFrames;

/**
 * An event of a turn, a union by `event`. A newer server may send unknown names: a `switch` ignores
 * them.
 */
export type HarnessEvent = {
  [Name in keyof TurnEvents]: {
    event: Name;
    /** The event's cursor: pass it as `after` to go on behind it. */
    id: string;
    data: TurnEvents[Name];
  };
}[keyof TurnEvents];
