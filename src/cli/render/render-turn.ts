import { describeAdvice } from './describe-advice.js';
import type { Paint } from '../terminal/paint.js';
import { askedLine, oneLine, plainText } from '../terminal/plain-text.js';

/** A frame of the harness wire, as the client received it. */
export interface ReceivedFrame {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

export interface RenderState {
  /** Whether standard output is at the start of a line. */
  atLineStart: boolean;
  thinking: boolean;
  steps: number;
  sources: number;
  /** The input of each tool call, by its id. */
  inputs: Readonly<Record<string, string>>;
}

/** `out` is for the reply and nothing else, `err` for everything around it. */
export type TerminalWrite = ['out' | 'err', string];

export interface Rendered {
  state: RenderState;
  /** In order: on a terminal both streams are one text. */
  writes: TerminalWrite[];
}

export const renderStart: RenderState = {
  atLineStart: true,
  thinking: false,
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
        state: { ...state, atLineStart: out.endsWith('\n'), thinking: false },
        writes: [...endThinking(state), ['out', out]],
      };
    }
    case 'thinking:delta': {
      const start = state.thinking ? '' : lineBreak(state) + paint('dim', 'thinking: ');
      const err = start + paint('dim', text(data['text']));
      return { state: { ...state, thinking: true }, writes: [['err', err]] };
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
    case 'step:end':
      return quiet({ ...state, steps: state.steps + 1 });
    case 'step:discard':
      return line(
        state,
        paint('yellow', '↻ the last words above no longer count; that step starts again'),
      );
    case 'turn:queued':
      return line(state, paint('dim', `waiting, ${text(data['position'])} before this turn`));
    case 'turn:recovering':
      return line(
        state,
        paint('yellow', `↻ going on after a crash: ${oneLine(text(data['reason']), 200)}`),
      );
    case 'attachment:warning':
      return line(
        state,
        paint('yellow', `! ${oneLine(`${text(data['name'])}: ${text(data['reason'])}`, 300)}`),
      );
    case 'system:notice':
      return line(state, paint('yellow', `! ${oneLine(text(data['text']), 500)}`));
    case 'approval:request':
    case 'subagent:approval:request':
      return line(state, approvalLine(data, paint));
    case 'approval:resolve':
    case 'subagent:approval:resolve':
      return line(
        state,
        paint('dim', `${text(data['decision'])}, by ${oneLine(text(data['by']), 64)}`),
      );
    case 'turn:parked':
      return line(state, paint('dim', `waiting for ${countAnswers(data['approvalIds'])}`));
    case 'message:joined':
      return line(state, paint('dim', `delivered: ${oneLine(text(data['text']), 200)}`));
    case 'subagent:start':
      return line(state, paint('cyan', `→ ${oneLine(text(data['agent']), 64)} begins`));
    case 'subagent:end':
      return line(state, paint('cyan', `→ the subagent ended: ${text(data['outcome'])}`));
    case 'turn:error':
      return line(
        state,
        paint(
          'red',
          `✗ ${text(data['errorType'])}: ${oneLine(text(data['message']), 500)}${describeAdvice(data)}`,
        ),
      );
    case 'turn:end':
      return line(state, paint('dim', summary(state, frame)));
    default:
      return quiet(state);
  }
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
  const yes = data['kind'] === 'client-tool' ? 'the client answers' : `turnpike approve ${id}`;
  return paint(
    'yellow',
    `? ${call}: ${oneLine(text(data['reason']), 160)}\n  ${yes}, or turnpike deny ${id}; ${text(data['onTimeout'])} at ${until} UTC`,
  );
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

/** A field as text without control characters; empty for any other type. */
function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? plainText(String(value)) : '';
}
