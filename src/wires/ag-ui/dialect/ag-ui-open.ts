import { assertNever } from '../../../platform/assert-never.js';
import type { AgUiEvent, SubagentStarted } from './ag-ui-event.js';

/** Something that began and must end before its run does. */
export type OpenThing =
  | { kind: 'text' | 'reasoning' | 'call' | 'step'; id: string; owner: string | undefined }
  | { kind: 'subagent'; id: string; owner: string | undefined; started: SubagentStarted };

/** Parts that are open after an event of the stream, in the order they began. Pure. */
export function followOpen(open: readonly OpenThing[], event: AgUiEvent): readonly OpenThing[] {
  switch (event.type) {
    case 'TEXT_MESSAGE_START':
      return [...open, { kind: 'text', id: event.messageId, owner: event.subagentRunId }];
    case 'TEXT_MESSAGE_END':
      return without(open, 'text', event.messageId);
    case 'REASONING_START':
      return [...open, { kind: 'reasoning', id: event.messageId, owner: event.subagentRunId }];
    case 'REASONING_END':
      return without(open, 'reasoning', event.messageId);
    case 'TOOL_CALL_START':
      return [...open, { kind: 'call', id: event.toolCallId, owner: event.subagentRunId }];
    case 'TOOL_CALL_END':
      return without(open, 'call', event.toolCallId);
    case 'STEP_STARTED':
      return [...open, { kind: 'step', id: event.stepName, owner: event.subagentRunId }];
    case 'STEP_FINISHED':
      return open.filter(
        ({ kind, id, owner }) =>
          kind !== 'step' || id !== event.stepName || owner !== event.subagentRunId,
      );
    case 'SUBAGENT_STARTED': {
      const { subagentRunId: id, parentSubagentRunId: owner } = event;
      return [...open, { kind: 'subagent', id, owner, started: event }];
    }
    case 'SUBAGENT_FINISHED':
    case 'SUBAGENT_ERROR':
      return without(open, 'subagent', event.subagentRunId);
    case 'RUN_STARTED':
    case 'RUN_FINISHED':
    case 'RUN_ERROR':
    case 'MESSAGES_SNAPSHOT':
    case 'STATE_SNAPSHOT':
    case 'STATE_DELTA':
    case 'TEXT_MESSAGE_CONTENT':
    case 'REASONING_MESSAGE_START':
    case 'REASONING_MESSAGE_CONTENT':
    case 'REASONING_MESSAGE_END':
    case 'TOOL_CALL_ARGS':
    case 'TOOL_CALL_RESULT':
    case 'CUSTOM':
      return open;
    default:
      return assertNever(event);
  }
}

/** The events that end open parts, the last to begin first. A subagent is suspended by its end. */
export function closeAll(
  things: readonly OpenThing[],
  interruptsOf: (subagentRunId: string) => string[] = () => [],
): AgUiEvent[] {
  return things.toReversed().flatMap((thing): AgUiEvent[] => {
    const { kind, id, owner } = thing;
    const by = owner === undefined ? {} : { subagentRunId: owner };
    switch (kind) {
      case 'text':
        return [{ type: 'TEXT_MESSAGE_END', messageId: id, ...by }];
      case 'reasoning':
        return [
          { type: 'REASONING_MESSAGE_END', messageId: id, ...by },
          { type: 'REASONING_END', messageId: id, ...by },
        ];
      case 'call':
        return [{ type: 'TOOL_CALL_END', toolCallId: id, ...by }];
      case 'step':
        return [{ type: 'STEP_FINISHED', stepName: id, ...by }];
      case 'subagent': {
        const outcome = { type: 'suspended' as const, interruptIds: interruptsOf(id) };
        return [{ type: 'SUBAGENT_FINISHED', subagentRunId: id, outcome }];
      }
    }
  });
}

/**
 * The first events of a run that goes on with a turn: they open again what was open when the run
 * before ended.
 */
export function openAgain(things: readonly OpenThing[]): AgUiEvent[] {
  return things.flatMap((thing): AgUiEvent[] => {
    if (thing.kind === 'subagent') return [thing.started];
    if (thing.kind !== 'step') return [];
    const by = thing.owner === undefined ? {} : { subagentRunId: thing.owner };
    return [{ type: 'STEP_STARTED', stepName: thing.id, ...by }];
  });
}

/** Open parts of a subagent, and of its own subagents. */
export function openUnder(open: readonly OpenThing[], subagentRunId: string): OpenThing[] {
  const below = new Set([subagentRunId]);
  return open.filter((thing) => {
    if (thing.owner === undefined || !below.has(thing.owner)) return false;
    if (thing.kind === 'subagent') below.add(thing.id);
    return true;
  });
}

function without(open: readonly OpenThing[], kind: OpenThing['kind'], id: string): OpenThing[] {
  return open.filter((thing) => thing.kind !== kind || thing.id !== id);
}
