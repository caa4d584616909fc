import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFields = Record<string, unknown>;

/** One line, one fact: a constant message, and its facts as fields. */
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
  /** Takes secrets out of a finished line. */
  redact(line: string): string;
  /** Where lines go; standard error by default, so that a program's output stays its own. */
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

/** Of a failed statement its text, never what it was given: that is what people and tools said. */
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

/** For code that must be given a logger where nobody reads one. */
export const silentLogger: Logger = pino({ level: 'silent' });
