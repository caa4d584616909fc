import path from 'node:path';
import * as z from 'zod/mini';
import { parsedBy } from '../platform/parsing/shapes.js';
import { parsePrivateHost } from './variable-forms.js';

/** A variable of the configuration: its names, its meaning and what it takes. */
export interface Variable<T> {
  /** The variable's name, then the older names it is accepted under, in order of precedence. */
  names: readonly [string, ...string[]];
  /** The documentation's sentence about it, as Markdown. */
  about: string;
  fallback: T;
  /** The default as the documentation shows it; absent: its value, where that is text, a number or a boolean. */
  fallbackText?: string;
  /** The texts that the variable may have, and the value of each. */
  shape: z.ZodMiniType<T>;
  /** Whether errors and logs leave the value out. */
  secret?: boolean;
  /** Whether blanks around a value are a part of it. */
  isExact?: boolean;
}

/** The name of a variable, or its name and the older ones. */
type Names = string | Variable<unknown>['names'];

type Described<T> = Omit<Variable<T>, 'names' | 'shape'>;

export function variable<T>(
  names: Names,
  described: Described<T>,
  shape: z.ZodMiniType<T>,
): Variable<T> {
  return { names: typeof names === 'string' ? [names] : names, shape, ...described };
}

/** Text that is optional. */
export function optional(
  names: Names,
  about: string,
  shape: z.ZodMiniType<string> = z.string(),
): Variable<string | undefined> {
  return variable<string | undefined>(names, { about, fallback: undefined }, shape);
}

export function secret(names: Names, about: string): Variable<string | undefined> {
  return { ...optional(names, about), secret: true };
}

/** Allows what is dangerous: `true` to the letter is yes, everything else is no, ` true` as well. */
export function permission(names: Names, about: string): Variable<boolean> {
  const shape = z.transform((text) => text === 'true');
  return variable(names, { about, fallback: false, isExact: true }, shape);
}

export function flag(names: Names, described: Described<boolean>): Variable<boolean> {
  const shape = z.pipe(
    z.enum(['true', 'false'], 'must be true or false'),
    z.transform((text) => text === 'true'),
  );
  return variable(names, described, shape);
}

export function choice<const T extends string>(
  names: Names,
  { values, ...described }: Described<NoInfer<T>> & { values: readonly T[] },
): Variable<T> {
  return variable<T>(names, described, z.enum(values));
}

export function integer(
  names: Names,
  { min, max, ...described }: Described<number> & { min: number; max: number },
): Variable<number> {
  return variable(names, described, numberText(/^\d+$/, { min, max, kind: 'whole number' }));
}

export function numberText(
  form: RegExp,
  { min, max, kind = 'number' }: { min: number; max: number; kind?: string },
) {
  return parsedBy((text: string) => {
    const number = Number(text);
    return form.test(text) && number >= min && number <= max ? number : undefined;
  }, `must be a ${kind} from ${min} to ${max}`);
}

export const absolute = z.string().check(z.refine(path.isAbsolute, 'must be an absolute path'));

export function absolutePath(names: Names, about: string): Variable<string | undefined> {
  return optional(names, about, absolute);
}

export function absolutePaths(names: Names, about: string): Variable<readonly string[]> {
  const shape = z.pipe(
    z.transform((text: string) => text.split(path.delimiter).filter((entry) => entry !== '')),
    z.array(absolute),
  );
  return variable<readonly string[]>(names, { about, fallback: [] }, shape);
}

/** Comma-separated entries, without blanks around them and without empty ones. */
export function list<T>(names: Names, about: string, entries: z.ZodMiniType<T[], string[]>) {
  return variable<readonly T[]>(names, { about, fallback: [] }, listText(entries));
}

/** Hosts inside the network that one kind of request may go to. @param whose begins the documentation's sentence. */
export function privateHosts(names: Names, whose: string) {
  const entry = parsedBy(
    parsePrivateHost,
    'must be a host: `host`, `host:port` or `host:*`, without a scheme',
  );
  const about = `${whose}.`;
  return list(names, about, z.array(entry));
}

export function listText<T>(entries: z.ZodMiniType<T[], string[]>): z.ZodMiniType<T[]> {
  return z.pipe(z.transform(entriesOf), entries);
}

function entriesOf(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

/** Refuses a list with two equal entries. @param keyOf what of an entry must be unique. */
export function eachOnce<T>(keyOf: (entry: T) => unknown = (entry) => entry) {
  return z.refine<T[]>(
    (entries) => new Set(entries.map(keyOf)).size === entries.length,
    'must have each entry once',
  );
}
