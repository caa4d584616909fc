import type { Paint } from '../terminal/paint.js';
import { oneLine } from '../terminal/plain-text.js';
import {
  renderFrame,
  renderStart,
  type ReceivedFrame,
  type Rendered,
  type RenderState,
  type TerminalWrite,
} from './render-turn.js';

interface RunningCall {
  id: string;
  name: string;
  note: string;
  elapsedMs: number;
}

export interface LiveState extends RenderState {
  /** Running tool calls, the one with the latest event last. */
  running: readonly RunningCall[];
  /** The status line that the next output erases; empty for none. */
  shown: string;
}

export const liveStart: LiveState = { ...renderStart, running: [], shown: '' };

/** Moves to the start of the line and clears it. */
const erase = '\r\u001b[2K';

/**
 * `renderFrame` with a status line at the end: the running tool and for how long. Pure.
 *
 * @param columns characters of a line: a longer status line would wrap and could not be erased.
 */
export function renderLive(
  state: LiveState,
  frame: ReceivedFrame,
  { paint, columns }: { paint: Paint; columns: number },
): Rendered & { state: LiveState } {
  const rendered = renderFrame(state, frame, paint);
  const running = follow(state.running, frame);
  // No status line in the middle of a reply or of thinking.
  const isFree = rendered.state.atLineStart && !rendered.state.thinking;
  const call = isFree ? running.at(-1) : undefined;
  const shown = call === undefined ? '' : paint('dim', describe(call, running.length, columns));
  const next = { ...rendered.state, running, shown };
  if (rendered.writes.length === 0 && shown === state.shown) return { state: next, writes: [] };
  const before: TerminalWrite[] = state.shown === '' ? [] : [['err', erase]];
  const after: TerminalWrite[] = shown === '' ? [] : [['err', shown]];
  return { state: next, writes: [...before, ...rendered.writes, ...after] };
}

/** Erases the status line, before output that is not the turn's. */
export function clearLive(state: LiveState): { state: LiveState; writes: TerminalWrite[] } {
  if (state.shown === '') return { state, writes: [] };
  return { state: { ...state, shown: '' }, writes: [['err', erase]] };
}

function follow(
  running: readonly RunningCall[],
  { event, data }: ReceivedFrame,
): readonly RunningCall[] {
  const id = String(data['toolUseId']);
  const others = (): RunningCall[] => running.filter((call) => call.id !== id);
  if (event === 'tool:start') {
    return [...others(), { id, name: String(data['name']), note: '', elapsedMs: 0 }];
  }
  if (event === 'tool:result') return others();
  if (event === 'turn:end' || event === 'turn:recovering' || event === 'turn:parked') return [];
  const call = event === 'tool:progress' ? running.find((one) => one.id === id) : undefined;
  if (call === undefined) return running;
  const { note, elapsedMs } = data;
  return [...others(), { ...call, note: String(note), elapsedMs: Number(elapsedMs) }];
}

function describe({ name, note, elapsedMs }: RunningCall, count: number, columns: number): string {
  const others = count === 1 ? '' : ` (and ${count - 1} more)`;
  const seconds = elapsedMs < 1_000 ? '' : `, ${Math.floor(elapsedMs / 1_000)} s`;
  const shownNote = note === '' ? '' : ` ${note}`;
  return oneLine(`→ ${name}${others} …${shownNote}${seconds}`, Math.max(10, columns - 1));
}
