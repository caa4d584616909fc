/** One variable of the configuration: what it is called, means, and takes. */
export interface Setting<T> {
  /** The variable's name, then the older names it is accepted under, in order of precedence. */
  names: readonly [string, ...string[]];
  about: string;
  fallback: T;
  /** How the default reads in the documentation, where its value does not say it. */
  fallbackText?: string;
  allowed: string;
  /** `undefined`: the text is not allowed. */
  parse(text: string): T | undefined;
  secret?: boolean;
  /** The blanks around a value are a part of it. */
  isExact?: boolean;
}

export function text(
  name: string,
  fallback: string,
  about: string,
  rule: { allowed: string; accept(value: string): boolean } = {
    allowed: 'any text',
    accept: () => true,
  },
): Setting<string> {
  return {
    names: [name],
    about,
    fallback,
    allowed: rule.allowed,
    parse: (value) => (rule.accept(value) ? value : undefined),
  };
}

export function optional(
  names: readonly [string, ...string[]],
  about: string,
  secret = false,
): Setting<string | undefined> {
  return {
    names,
    about,
    fallback: undefined,
    allowed: 'any text',
    parse: (value) => value,
    secret,
  };
}

/** What is dangerous: `true` to the letter is yes, and everything else no, ` true` as well. */
export function permission(names: readonly [string, ...string[]], about: string): Setting<boolean> {
  return {
    names,
    about,
    fallback: false,
    fallbackText: '',
    allowed: 'any text',
    parse: (value) => value === 'true',
    isExact: true,
  };
}

export function choice<const T extends string>(
  name: string,
  values: readonly T[],
  fallback: T,
  about: string,
): Setting<T> {
  return {
    names: [name],
    about,
    fallback,
    allowed: values.join(', '),
    parse: (value) => values.find((candidate) => candidate === value),
  };
}

export function integer(
  name: string,
  fallback: number,
  about: string,
  ...[min, max]: [number, number]
): Setting<number> {
  return {
    names: [name],
    about,
    fallback,
    allowed: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const number = Number(value);
      return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined;
    },
  };
}
