/**
 * @typedef {object} Random
 * @property {() => number} next from 0 to below 1
 * @property {(min: number, max: number) => number} whole both ends included
 * @property {(probability: number) => boolean} chance
 * @property {<T>(choices: readonly T[]) => T} pick
 * @property {<T>(items: readonly T[]) => T[]} shuffle
 */

/**
 * Random numbers by a seed and a purpose: draws for a purpose do not change those for others.
 *
 * @param {number} seed
 * @param {string} purpose
 * @returns {Random}
 */
export function seededRandom(seed, purpose) {
  let state = seed >>> 0;
  for (const character of purpose) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (/** @type {number} */ min, /** @type {number} */ max) =>
    min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: (choices) => {
      const chosen = choices[whole(0, choices.length - 1)];
      if (chosen === undefined) throw new Error('Nothing to pick from');
      return chosen;
    },
    shuffle: (items) => {
      const rest = [...items];
      return items.map(() => /** @type {any} */ (rest.splice(whole(0, rest.length - 1), 1)[0]));
    },
  };
}
