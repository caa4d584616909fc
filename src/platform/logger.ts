import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { types } from 'node:util';
import { compact } from './compact.js';
import { errorCode } from './error-code.js';
import { isPlainObject } from './json.js';

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
      serializers: { error: (error: unknown) => describeError(error) },
      hooks: { streamWrite: (line) => options.redact(line) },
    },
    sink,
  );
}

/** Depth of causes that are logged. */
const MAX_CAUSES = 5;

/** Facts of an error that its logger has described. */
const facts = ['type', 'status', 'category', 'reason', 'code'] as const;

/**
 * The parts of an error that a line has, and nothing else: drivers and libraries hang statements, parameters, headers and
 * bodies on theirs, which are content of users and tools.
 */
export function describeError(error: unknown, causes = MAX_CAUSES): unknown {
  if (!isError(error)) return isPlainObject(error) ? pickFacts(error) : typeof error;
  const { name: type, message, stack, cause } = error;
  const inner = causes === 0 ? [] : innerErrors(error).map((one) => describeError(one, causes - 1));
  return compact({
    type,
    message: withoutParameters(message),
    code: errorCode(error),
    stack: stack && withoutParameters(stack),
    cause: causes > 0 && isError(cause) ? describeError(cause, causes - 1) : undefined,
    errors: inner.length === 0 ? undefined : inner,
  });
}

/** True of errors of another realm as well, which `instanceof` does not know. */
function isError(error: unknown): error is Error {
  return error instanceof Error || types.isNativeError(error);
}

function innerErrors(error: Error): unknown[] {
  return error instanceof AggregateError ? error.errors.filter(isError) : [];
}

function pickFacts(error: Record<string, unknown>): Record<string, unknown> {
  return compact(Object.fromEntries(facts.map((name) => [name, scalarOf(error[name])])));
}

function scalarOf(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** The message of a failed statement ends with its parameters. */
function withoutParameters(text: string): string {
  return text.replace(/\nparams: [^]*?(?=\n {4}at |$)/g, '');
}
