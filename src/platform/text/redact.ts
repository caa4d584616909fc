/** Takes the process's own secrets out of a text. */
export type Redact = (text: string) => string;

/** Injects the `Redact` of the process. */
export const REDACT = Symbol('Redact');

const REPLACEMENT = '[REDACTED_API_KEY]';

/** A shorter secret would blank out ordinary words. */
const MIN_SECRET_LENGTH = 8;

/**
 * A function that replaces every secret in a text by `[REDACTED_API_KEY]`, also where it is
 * URL-encoded (once, twice, in lower case, with `+` for a space), or in base64 or hex. Secrets shorter than 8
 * characters are ignored; without secrets the text is returned as it is.
 */
export function secretRedactor(secrets: readonly string[]): Redact {
  const variants = new Set(
    secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(variantsOf),
  );
  if (variants.size === 0) return (text) => text;
  // Longest first: of a secret that contains a shorter one, nothing may be left.
  const longestFirst = [...variants].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapeForRegExp).join('|'), 'g');
  return (text) => text.replace(pattern, REPLACEMENT);
}

function variantsOf(secret: string): string[] {
  const once = encodeURIComponent(secret);
  const twice = encodeURIComponent(once);
  const encoded = [once, twice].flatMap((text) => [text, lowerCaseEscapes(text)]);
  return [
    secret,
    ...encoded,
    secret.replaceAll(' ', '+'),
    ...encoded.map((text) => text.replace(/%(?:25)?20/g, '+')),
    ...inBase64(secret),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
  ];
}

/** What a secret is in base64, wherever it begins in what was encoded, without characters that its neighbours share. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const bits = 8 * (before + bytes.length);
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const own = encoded.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function lowerCaseEscapes(encoded: string): string {
  return encoded.replace(/%(?:25)?[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
