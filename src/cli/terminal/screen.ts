import type { ClientOptions } from '../../client/turnpike-client.js';
import { painter, type Paint } from './paint.js';

/** The outputs of a command, and what they can show. */
export interface Screen {
  /** Standard output has one line of JSON for each event, and nothing else. */
  json: boolean;
  paint: Paint;
  /** Whether the last line may be erased: on a terminal alone. */
  isLive: boolean;
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
