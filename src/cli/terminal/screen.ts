import type { ClientOptions } from '../../client/turnpike-client.js';
import { errorCode } from '../../platform/error-code.js';
import { withoutDirections } from '../../platform/text/well-formed.js';

/** The outputs of a command, and what they can show. */
export interface Screen {
  /** Standard output has one line of JSON for each event, and nothing else. */
  json: boolean;
  paint: Paint;
  /** Whether the last line may be erased: on a terminal alone. */
  isLive: boolean;
  /** Whether the words of a step are kept back until it ends: a pipe or a file cannot take back what is discarded. */
  holdsSteps: boolean;
  /** Characters of a line. */
  columns: number;
  out(text: string): void;
  err(text: string): void;
}

/** Opens the screen; colours and a status line need a terminal, colours also no `NO_COLOR`. */
export function openScreen(environment: Record<string, string | undefined>, json: boolean): Screen {
  const { stdout, stderr } = process;
  const isTerminal = stderr.isTTY && !json;
  return {
    json,
    paint: painter(isTerminal && (environment['NO_COLOR'] ?? '') === ''),
    isLive: isTerminal && stdout.isTTY && environment['TERM'] !== 'dumb',
    holdsSteps: !stdout.isTTY && !json,
    columns: stderr.columns || 80,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  };
}

/** Options that report each reconnection of the client. */
export function reportRetries({ paint, err }: Screen): Pick<ClientOptions, 'onRetry'> {
  return {
    onRetry: ({ attempt }) => err(paint('yellow', `↻ connection lost, resuming (${attempt})\n`)),
  };
}

/** CSI sequences, and control characters other than line feed and tab. */
const controls = new RegExp(
  String.raw`\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
  'g',
);

/**
 * Removes control characters from the text of a model or a tool: escape sequences could move a
 * terminal's cursor, rename its window or type into it, and marks of direction show an address in another order.
 * Line feeds and tabs stay.
 */
export function plainText(text: string): string {
  return withoutDirections(text.replace(controls, ''));
}

/** Text on one line, cut to `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** The most characters of a tool call in a question, and those of them for its end. */
const ASKED_LENGTH = 2_000;
const ASKED_END = 500;

/**
 * A tool call on one line, for a question. A call that is too long shows its start, its end and how many
 * characters are left out, so that nothing hides behind a long start.
 */
export function askedLine(text: string): string {
  const line = oneLine(text, Infinity);
  const hidden = line.length - ASKED_LENGTH;
  if (hidden <= 0) return line;
  const start = line.slice(0, ASKED_LENGTH - ASKED_END);
  return `${start} … ${hidden} characters are not shown … ${line.slice(-ASKED_END)}`;
}

/** `1 file`, `2 files`. */
export function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A time in UTC to the minute: `2026-01-31 09:30`. */
export function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

export type Colour = 'dim' | 'red' | 'yellow' | 'cyan' | 'green';

const codes: Record<Colour, number> = { dim: 2, red: 31, yellow: 33, cyan: 36, green: 32 };

export type Paint = (colour: Colour, text: string) => string;

/** Paints text with ANSI colours, or leaves it plain. */
export function painter(colours: boolean): Paint {
  return (colour, text) => (colours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text);
}

/** The exit code after a closed pipe, as in shells: 128 and the number of SIGPIPE. */
const CLOSED_PIPE = 141;

/** An output whose writes fail asynchronously, as `process.stdout`. */
interface Output {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Ends the command silently when the reader of its output, such as `head`, closes the pipe. */
export function leaveOnClosedPipe(
  outputs: readonly Output[] = [process.stdout, process.stderr],
  leave: (exitCode: number) => void = (exitCode) => process.exit(exitCode),
): void {
  for (const output of outputs) {
    output.on('error', (error) => {
      if (errorCode(error) !== 'EPIPE') throw error;
      leave(CLOSED_PIPE);
    });
  }
}
