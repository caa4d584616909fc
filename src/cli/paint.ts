export type Colour = 'dim' | 'red' | 'yellow' | 'cyan' | 'green';

const codes: Record<Colour, number> = { dim: 2, red: 31, yellow: 33, cyan: 36, green: 32 };

export type Paint = (colour: Colour, text: string) => string;

/** Colours for a terminal; none where there is no terminal or `NO_COLOR` is set. */
export function painter(colours: boolean): Paint {
  return (colour, text) => (colours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text);
}

/**
 * Text of a model or a tool, made harmless for a terminal: escape sequences could move its cursor,
 * rename its window or type into it. Line feeds and tabs stay.
 */
export function plainText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** One line of at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
