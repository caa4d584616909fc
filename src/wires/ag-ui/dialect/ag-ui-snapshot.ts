import { AG_UI_VERSION, type AgUiEvent, type AgUiMessage } from './ag-ui-event.js';
import { stateSnapshot, type TurnpikeView } from './ag-ui-state.js';

/** The value under `turnpike` in a client's state, with whose it is. */
export interface ShownTurn extends TurnpikeView {
  sessionId: string;
  turnId: string;
  agent: string;
  model: string;
}

/** A run without anything new, in a thread where no turn runs. */
export interface ReadingRun {
  threadId: string;
  runId: string;
  messages: readonly AgUiMessage[];
  /** The client's own state. */
  state: unknown;
  /** The thread's last turn; undefined: there was none. */
  last: ShownTurn | undefined;
}

/** The whole stream of such a run: the conversation and the state, as they are. Pure. */
export function snapshotEvents(run: ReadingRun): AgUiEvent[] {
  const { threadId, runId, messages, last } = run;
  return [
    { type: 'RUN_STARTED', threadId, runId, protocolVersion: AG_UI_VERSION },
    { type: 'MESSAGES_SNAPSHOT', messages: [...messages] },
    stateSnapshot(run.state, last),
    { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' }, usage: [] },
  ];
}
