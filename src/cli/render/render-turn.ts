import { type Paint, askedLine, oneLine, plainText } from '../terminal/screen.js';
import { isPlainObject } from '../../platform/json.js';
import { commandName } from '../../platform/process/command-name.js';
import { describeAdvice } from './explain-failure.js';

/** A frame of the harness wire, as the client received it. */
export interface ReceivedFrame {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

interface RenderState {
  /** Whether standard output is at the start of a line. */
  atLineStart: boolean;
  thinking: boolean;
  /** Whether words of the step that runs are shown, which it may begin again. */
  hasWords: boolean;
  steps: number;
  sources: number;
  /** The input of each tool call, by its id. */
  inputs: Readonly<Record<string, string>>;
}

/** `out` is for the reply and nothing else, `err` for everything around it. */
export type TerminalWrite = ['out' | 'err', string];

interface Rendered {
  state: RenderState;
  /** In order: on a terminal both streams are one text. */
  writes: TerminalWrite[];
}

export const renderStart: RenderState = {
  atLineStart: true,
  thinking: false,
  hasWords: false,
  steps: 0,
  sources: 0,
  inputs: {},
};

/** The text that a frame prints; unknown events print nothing. Pure. */
export function renderFrame(state: RenderState, frame: ReceivedFrame, paint: Paint): Rendered {
  const { event, data } = frame;
  switch (event) {
    case 'chat:delta': {
      const out = text(data['text']);
      if (out === '') return quiet(state);
      return {
        state: { ...state, atLineStart: out.endsWith('\n'), thinking: false, hasWords: true },
        writes: [...endThinking(state), ['out', out]],
      };
    }
    case 'thinking:delta': {
      const start = state.thinking ? '' : lineBreak(state) + paint('dim', 'thinking: ');
      const err = start + paint('dim', text(data['text']));
      return { state: { ...state, thinking: true, hasWords: true }, writes: [['err', err]] };
    }
    case 'tool:args': {
      // A denied call never starts: its streamed input is all there is to show.
      const id = text(data['toolUseId']);
      const streamed = (state.inputs[id] ?? '') + text(data['json']);
      return quiet({ ...state, inputs: { ...state.inputs, [id]: streamed } });
    }
    case 'tool:start': {
      const inputs = { ...state.inputs, [text(data['toolUseId'])]: summarise(data['input']) };
      return quiet({ ...state, inputs });
    }
    case 'tool:result':
      return line(state, toolLine(state, data, paint));
    case 'source': {
      const sources = state.sources + 1;
      const where = oneLine(text(data['url']), 500) || describeLocation(data['location']);
      const label = `[${sources}] ${oneLine(text(data['title']), 120)}${where === '' ? '' : `, ${where}`}`;
      return line({ ...state, sources }, paint('cyan', label));
    }
    case 'step:discard': {
      const withdrawn = state.hasWords ? 'the last words above no longer count; ' : '';
      return line(
        { ...state, hasWords: false },
        paint('yellow', `↻ ${withdrawn}that step starts again`),
      );
    }
    case 'step:end':
      return quiet({ ...state, steps: state.steps + 1, hasWords: false });
    default: {
      const content = lineOf(state, frame, paint);
      return content === undefined ? quiet(state) : line(state, content);
    }
  }
}

/** The line that a frame prints; undefined for an unknown event. */
function lineOf(state: RenderState, frame: ReceivedFrame, paint: Paint): string | undefined {
  const { event, data } = frame;
  switch (event) {
    case 'turn:queued':
      return paint('dim', describeWait(data));
    case 'turn:recovering':
      return paint('yellow', `↻ going on after a crash: ${oneLine(text(data['reason']), 200)}`);
    case 'turn:stalled':
      return paint('yellow', describeStall(data));
    case 'attachment:warning':
      return paint('yellow', `! ${oneLine(`${text(data['name'])}: ${text(data['reason'])}`, 300)}`);
    case 'system:notice':
      return paint('yellow', `! ${oneLine(text(data['text']), 500)}`);
    case 'approval:request':
    case 'subagent:approval:request':
      return approvalLine(data, paint);
    case 'approval:resolve':
    case 'subagent:approval:resolve':
      return paint('dim', `${text(data['decision'])}, by ${oneLine(text(data['by']), 64)}`);
    case 'turn:parked':
      return paint('dim', `waiting for ${countAnswers(data['approvalIds'])}`);
    case 'message:joined':
      return paint('dim', `delivered: ${oneLine(text(data['text']), 200)}`);
    case 'subagent:start':
      return paint('cyan', `→ ${oneLine(text(data['agent']), 64)} begins`);
    case 'subagent:end':
      return paint('cyan', `→ the subagent ended: ${text(data['outcome'])}`);
    case 'turn:error': {
      const message = oneLine(text(data['message']), 500);
      return paint('red', `✗ ${text(data['errorType'])}: ${message}${describeAdvice(data)}`);
    }
    case 'turn:end':
      return paint('dim', summary(state, frame));
    default:
      return undefined;
  }
}

function describeStall({ silentMs, leaseUntil }: ReceivedFrame['data']): string {
  const seconds = Math.round(Number(silentMs) / 1_000);
  const time = new Date(text(leaseUntil)).toLocaleTimeString();
  return `! the worker has not answered for ${seconds} s; if it stays silent, another one takes the turn over after ${time}`;
}

function quiet(state: RenderState): Rendered {
  return { state, writes: [] };
}

/** A whole line on standard error, which may share a terminal with the reply. */
function line(state: RenderState, content: string): Rendered {
  const endReply: TerminalWrite[] = state.atLineStart ? [] : [['out', '\n']];
  return {
    state: { ...state, atLineStart: true, thinking: false },
    writes: [...endThinking(state), ...endReply, ['err', `${content}\n`]],
  };
}

function endThinking(state: RenderState): TerminalWrite[] {
  return state.thinking ? [['err', '\n']] : [];
}

function lineBreak(state: RenderState): string {
  return state.atLineStart ? '' : '\n';
}

function toolLine(state: RenderState, data: Record<string, unknown>, paint: Paint): string {
  const name = oneLine(text(data['name']), 64);
  const input = oneLine(state.inputs[text(data['toolUseId'])] ?? '', 80);
  const status =
    data['ok'] === true ? paint('green', 'ok') : paint('red', oneLine(text(data['status']), 20));
  const why = data['ok'] === true ? '' : ` (${oneLine(text(data['output']), 160)})`;
  return `${paint('cyan', `→ ${name}`)}${input === '' ? '' : ` ${input}`} … ${status}${why}, ${text(data['durationMs'])} ms`;
}

function approvalLine(data: Record<string, unknown>, paint: Paint): string {
  const id = oneLine(text(data['approvalId']), 64);
  const call = askedLine(`${text(data['name'])} ${summarise(data['input'])}`);
  const until = text(data['expiresAt']).slice(11, 16);
  // A client tool's output has a form that only its client knows.
  const asked = isPlainObject(data['question']) ? describeQuestion(data['question']) : '';
  const yes = waysToAnswer(id, data);
  return paint(
    'yellow',
    `? ${call}: ${oneLine(text(data['reason']), 160)}${asked}\n  ${yes}, or ${commandName()} deny ${id}; ${text(data['onTimeout'])} at ${until} UTC`,
  );
}

/** The message of a call's question, and its link on a line below. No link is cut: people read where it leads. */
function describeQuestion(question: Record<string, unknown>): string {
  const lines = [oneLine(text(question['message']), 500)];
  if (typeof question['url'] === 'string') lines.push(oneLine(question['url'], 4_096));
  return lines.map((shown) => `\n  ${shown}`).join('');
}

/** How a question is answered with yes. A client tool's output has a form that only its client knows. */
function waysToAnswer(id: string, { kind, question }: Record<string, unknown>): string {
  if (kind === 'client-tool') return 'the client answers';
  if (kind === 'mcp-authorize') return 'log in in the console';
  const isForm = isPlainObject(question) && question['mode'] === 'form';
  const approve = `${commandName()} approve ${id}`;
  return isForm ? `${approve} --content JSON` : approve;
}

function countAnswers(approvalIds: unknown): string {
  const count = Array.isArray(approvalIds) ? approvalIds.length : 0;
  return count === 1 ? '1 answer' : `${count} answers`;
}

function summarise(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const values = Object.values(input).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  return values.join(' ');
}

function describeLocation(location: unknown): string {
  if (typeof location !== 'object' || location === null) return '';
  const { unit, start } = location as { unit?: unknown; start?: unknown };
  return `${text(unit)} ${text(start)}`;
}

function summary(state: RenderState, { id, data }: ReceivedFrame): string {
  const usage = (data['usage'] ?? {}) as Record<string, unknown>;
  const seconds = (Number(data['durationMs']) / 1000).toFixed(1);
  const steps = state.steps === 1 ? '1 step' : `${state.steps} steps`;
  return [
    `${text(data['outcome'])} (${text(data['reason'])})`,
    steps,
    `${tokensIn(usage)} tokens in, ${text(usage['outputTokens'])} out`,
    `${seconds} s`,
    id.split(':')[0] ?? '',
  ].join(' · ');
}

/** Input tokens with those that the provider's cache read or wrote. */
function tokensIn(usage: Record<string, unknown>): string {
  const counts = [usage['inputTokens'], usage['cacheReadTokens'], usage['cacheWriteTokens']];
  return String(counts.reduce<number>((sum, count) => sum + (Number(count) || 0), 0));
}

function describeWait({ position, reason }: Record<string, unknown>): string {
  return reason === undefined
    ? `waiting, ${text(position)} before this turn`
    : 'waiting: no worker could be told of this turn yet; it starts by itself when one is';
}

/** A field as text without control characters; empty for any other type. */
function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? plainText(String(value)) : '';
}

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
