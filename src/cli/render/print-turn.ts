import type { FollowedTurn, HarnessEvent } from '../../client/turnpike-client.js';
import type { Screen } from '../terminal/screen.js';
import {
  clearLive,
  liveStart,
  renderFrame,
  renderLive,
  type ReceivedFrame,
  type TerminalWrite,
} from './render-turn.js';

/** The answers of a command to a turn that asks. */
export interface TurnAnswers {
  /** The question that an event asks the user; it has the screen until it resolves. */
  ask?: (event: HarnessEvent) => (() => Promise<void>) | undefined;
  /** Called where the turn waits for these approvals. @returns the exit code with which the turn is left. */
  leave?: (approvalIds: readonly string[]) => Promise<number | undefined>;
}

/**
 * Prints a turn's events to its last one.
 *
 * @returns the turn's exit code, or that of `leave`.
 * @throws TurnpikeError; ConnectionLostError; errors of the question.
 */
export async function printTurn(
  turn: FollowedTurn,
  screen: Screen,
  { ask = () => undefined, leave = async () => undefined }: TurnAnswers = {},
): Promise<number> {
  const held = holdSteps(screen);
  try {
    return await printEvents(turn, held, { ask, leave });
  } finally {
    held.release();
  }
}

async function printEvents(
  turn: FollowedTurn,
  { screen, note }: HeldSteps,
  { ask, leave }: Required<TurnAnswers>,
): Promise<number> {
  let exitCode = 1;
  let state = liveStart;
  for await (const event of turn) {
    // Untyped: a server of a different version may send other fields.
    const frame = event as ReceivedFrame;
    if (event.event === 'process:exit') exitCode = event.data.exitCode;
    if (screen.json) {
      screen.out(`${JSON.stringify(event)}\n`);
    } else if (screen.isLive) {
      const rendered = renderLive(state, frame, screen);
      state = rendered.state;
      write(screen, rendered.writes);
    } else {
      const rendered = renderFrame(state, frame, screen.paint);
      // Words that are held back are on no screen, and need not be withdrawn.
      const hasWords = rendered.state.hasWords && !screen.holdsSteps;
      state = { ...state, ...rendered.state, hasWords };
      write(screen, rendered.writes);
    }
    note(event.event);
    // A parent whose subagent waits is not parked itself, and waits for the same answer.
    if (event.event === 'turn:parked' || event.event === 'subagent:turn:parked') {
      const left = await leave(event.data.approvalIds);
      if (left !== undefined) return left;
    }
    const asking = ask(event);
    if (asking === undefined) continue;
    const cleared = clearLive(state);
    state = cleared.state;
    write(screen, cleared.writes);
    await asking();
  }
  return exitCode;
}

function write(screen: Screen, writes: readonly TerminalWrite[]): void {
  for (const [stream, text] of writes) screen[stream](text);
}

/** Where a turn's events are printed, and when its reply is. */
interface HeldSteps {
  screen: Screen;
  /** Called after each event was printed. */
  note(event: string): void;
  /** Prints what is held. */
  release(): void;
}

/** Events after which the words so far are part of the reply. */
const settling: readonly string[] = ['step:end', 'turn:parked', 'turn:error', 'turn:end'];

/**
 * Keeps a step's words back until the step has ended, on a screen that `holdsSteps`: a step that is discarded and runs
 * again leaves its words once.
 */
function holdSteps(screen: Screen): HeldSteps {
  if (!screen.holdsSteps) return { screen, note: () => undefined, release: () => undefined };
  let held: string[] = [];
  const release = (): void => {
    for (const text of held) screen.out(text);
    held = [];
  };
  // The line that ends an earlier step's reply stays.
  const out = (text: string): void => {
    if (text === '\n' && held.length === 0) screen.out(text);
    else held.push(text);
  };
  const note = (event: string): void => {
    if (event === 'step:discard') held = [];
    else if (settling.includes(event)) release();
  };
  return { screen: { ...screen, out }, note, release };
}
