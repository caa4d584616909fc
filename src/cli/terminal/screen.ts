import type { ClientOptions } from '../../client/turnpike-client.js';
import { painter, type Paint } from './paint.js';

/** Where a command writes, and how. */
export interface Screen {
  /** One line of JSON for each event, and nothing else on standard output. */
  json: boolean;
  paint: Paint;
  /** Whether lines may be written over: on a terminal only. */
  isLive: boolean;
  /** Characters of a line. */
  columns: number;
  out(text: string): void;
  err(text: string): void;
}

/** Colours and progress are for people: a terminal, and no `NO_COLOR`. */
export function openScreen(environment: Record<string, string | undefined>, json: boolean): Screen {
  const { stdout, stderr } = process;
  const isTerminal = stderr.isTTY && !json;
  return {
    json,
    paint: painter(isTerminal && (environment['NO_COLOR'] ?? '') === ''),
    isLive: isTerminal && stdout.isTTY && environment['TERM'] !== 'dumb',
    columns: stderr.columns ?? 80,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  };
}

/** Says that a connection broke, and that it is taken up again. */
export function tellRetries({ paint, err }: Screen): Pick<ClientOptions, 'onRetry'> {
  return {
    onRetry: ({ attempt }) => err(paint('yellow', `↻ connection lost, resuming (${attempt})\n`)),
  };
}
