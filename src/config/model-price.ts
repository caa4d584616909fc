import type { Price } from '../storage/shapes/stored-options.js';

export interface ModelPrice extends Price {
  /** The beginning of names of models. */
  model: string;
}

/** Parses `claude-opus=15/75,claude-sonnet=3/15`; undefined for malformed text. */
export function parsePrices(text: string): readonly ModelPrice[] | undefined {
  const prices = text.split(',').map((item) => {
    const [, model, input, output] = /^\s*([^=\s]+)=([\d.]+)\/([\d.]+)\s*$/.exec(item) ?? [];
    return { model: model ?? '', input: Number(input), output: Number(output) };
  });
  const isValid = ({ model, input, output }: ModelPrice): boolean =>
    model !== '' && Number.isFinite(input) && Number.isFinite(output);
  return prices.every(isValid) ? prices : undefined;
}

/** The price with the longest matching beginning; undefined where none matches. */
export function findPrice(prices: readonly ModelPrice[], model: string): Price | undefined {
  const fitting = prices.filter((price) => model.startsWith(price.model));
  const [longest] = fitting.sort((a, b) => b.model.length - a.model.length);
  return longest && { input: longest.input, output: longest.output };
}
