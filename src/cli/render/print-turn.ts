import type { FollowedTurn, HarnessEvent } from '../../client/turnpike-client.js';
import { clearLive, liveStart, renderLive } from './render-live.js';
import { renderFrame, type ReceivedFrame, type TerminalWrite } from './render-turn.js';
import type { Screen } from '../terminal/screen.js';

/**
 * Prints a turn's events to its last one.
 *
 * @param ask the question that an event asks the user; it has the screen until it resolves.
 * @returns the turn's exit code.
 * @throws TurnpikeError; ConnectionLostError; errors of the question.
 */
export async function printTurn(
  turn: FollowedTurn,
  screen: Screen,
  ask: (event: HarnessEvent) => (() => Promise<void>) | undefined = () => undefined,
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
      state = { ...state, ...rendered.state };
      write(screen, rendered.writes);
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
