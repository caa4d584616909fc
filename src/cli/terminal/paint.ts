export type Colour = 'dim' | 'red' | 'yellow' | 'cyan' | 'green';

const codes: Record<Colour, number> = { dim: 2, red: 31, yellow: 33, cyan: 36, green: 32 };

export type Paint = (colour: Colour, text: string) => string;

/** Paints text with ANSI colours, or leaves it plain. */
export function painter(colours: boolean): Paint {
  return (colour, text) => (colours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text);
}
