import path from 'node:path';

/** A variable of the configuration: its names, its meaning and what it takes. */
export interface Variable<T> {
  /** The variable's name, then the older names it is accepted under, in order of precedence. */
  names: readonly [string, ...string[]];
  /** The documentation's sentence about it, as Markdown. */
  about: string;
  fallback: T;
  /** The default as the documentation shows it; absent: its value, where that is text or a number. */
  fallbackText?: string;
  /** The allowed values, as the error about any other names them. */
  allowed: string;
  /** @returns undefined where the text is not allowed. */
  parse(text: string): T | undefined;
  /** Whether errors and logs leave the value out. */
  secret?: boolean;
  /** Whether blanks around a value are a part of it. */
  isExact?: boolean;
}

/** The name of a variable, or its name and the older ones. */
type Names = string | Variable<unknown>['names'];

interface Described<T> {
  about: string;
  fallback: T;
}

function namesOf(names: Names): Variable<unknown>['names'] {
  return typeof names === 'string' ? [names] : names;
}

export function text(
  names: Names,
  given: Described<string> & { allowed?: string; accept?(value: string): boolean },
): Variable<string> {
  const { about, fallback, allowed = 'any text', accept = () => true } = given;
  const parse = (value: string): string | undefined => (accept(value) ? value : undefined);
  return { names: namesOf(names), about, fallback, allowed, parse };
}

export function optional(names: Names, about: string): Variable<string | undefined> {
  return {
    names: namesOf(names),
    about,
    fallback: undefined,
    allowed: 'any text',
    parse: (value) => value,
  };
}

export function secret(names: Names, about: string): Variable<string | undefined> {
  return { ...optional(names, about), secret: true };
}

/** Allows what is dangerous: `true` to the letter is yes, everything else is no, ` true` as well. */
export function permission(names: Names, about: string): Variable<boolean> {
  return {
    names: namesOf(names),
    about,
    fallback: false,
    allowed: 'any text',
    parse: (value) => value === 'true',
    isExact: true,
  };
}

export function flag(names: Names, { about, fallback }: Described<boolean>): Variable<boolean> {
  return {
    names: namesOf(names),
    about,
    fallback,
    allowed: 'true or false',
    parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  };
}

export function choice<const T extends string>(
  names: Names,
  { about, fallback, values }: Described<NoInfer<T>> & { values: readonly T[] },
): Variable<T> {
  return {
    names: namesOf(names),
    about,
    fallback,
    allowed: values.join(', '),
    parse: (value) => values.find((candidate) => candidate === value),
  };
}

export function integer(
  names: Names,
  { about, fallback, min, max }: Described<number> & { min: number; max: number },
): Variable<number> {
  return {
    names: namesOf(names),
    about,
    fallback,
    allowed: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const number = Number(value);
      return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined;
    },
  };
}

export function absolutePath(names: Names, about: string): Variable<string | undefined> {
  return {
    names: namesOf(names),
    about,
    fallback: undefined,
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  };
}

export function absolutePaths(names: Names, about: string): Variable<readonly string[]> {
  return {
    names: namesOf(names),
    about,
    fallback: [],
    allowed: `absolute paths, separated by '${path.delimiter}'`,
    parse: (value) => {
      const folders = value.split(path.delimiter).filter((folder) => folder !== '');
      return folders.every((folder) => path.isAbsolute(folder)) ? folders : undefined;
    },
  };
}

/** The entries of comma-separated text, without blanks around them and without empty ones. */
export function entriesOf(value: string): string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}
