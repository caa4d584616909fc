import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFields = Record<string, unknown>;

/** A log of lines with a constant message each, and what varies as fields. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that puts `fields` (a turn's or session's id) on every line. */
  child(fields: LogFields): Logger;
}

/** Injects the process's logger. */
export const LOGGER = Symbol('Logger');

export interface LoggerOptions {
  level: LogLevel;
  /** Readable lines instead of JSON ones. */
  readable: boolean;
  /** Removes secrets from a finished line. */
  redact(line: string): string;
  /** Default: standard error, so that standard output is the program's own. */
  destination?: { write(line: string): void };
}

export function createLogger(options: LoggerOptions): Logger {
  const destination = options.destination ?? process.stderr;
  const format = prettyFactory({ colorize: true, ignore: 'pid,hostname', singleLine: true });
  const sink = options.readable
    ? { write: (line: string) => destination.write(format(line)) }
    : destination;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
      hooks: { streamWrite: (line) => options.redact(line) },
    },
    sink,
  );
}

/** An error without the parameters of a failed statement: they are content of users and tools. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const described: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  delete described['params'];
  delete described['query'];
  for (const key of ['message', 'stack']) {
    const text = described[key];
    if (typeof text === 'string')
      described[key] = text.replace(/\nparams: [^]*?(?=\n {4}at |$)/g, '');
  }
  return described;
}
