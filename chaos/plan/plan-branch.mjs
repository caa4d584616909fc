import { seededRandom } from './random.mjs';

/**
 * Plans what becomes of the line of a session, by the seed and its number alone.
 *
 * @param {number} seed
 * @param {number} session
 * @returns {import('../types.js').BranchPlan}
 */
export function planBranch(seed, session) {
  const random = seededRandom(seed, `branch ${session}`);
  return {
    kind: random.pick(kinds),
    place: random.whole(0, 100),
    position: random.pick(/** @type {const} */ (['before', 'after'])),
    isContested: random.chance(0.4),
  };
}

/** By their frequency. */
const kinds = /** @type {const} */ (['none', 'fork', 'replace']);
