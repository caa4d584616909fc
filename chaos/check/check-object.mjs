import { isDeepStrictEqual } from 'node:util';

/** @typedef {import('../types.js').TurnHistory} TurnHistory */
/** @typedef {import('../types.js').TurnRows} TurnRows */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('../types.js').ViolationKind} ViolationKind */

/**
 * Checks the object of a turn: a turn that completed has its own, stored and told once to each reader; every
 * other has none.
 *
 * @param {TurnHistory} history
 * @param {TurnRows} rows
 * @returns {Violation[]}
 */
export function checkObject({ plan, turnId, readers, fresh }, { turn }) {
  /** @type {Violation[]} */
  const found = [];
  const report = (/** @type {ViolationKind} */ kind, /** @type {string} */ note) =>
    found.push({ kind, turnId, note });
  const { status, failure } = turn;
  const output = turn.output ?? undefined;
  const isDue = plan.object !== undefined && status === 'completed';
  const expected = isDue ? plan.object?.expected : undefined;
  if (!isDeepStrictEqual(output, expected)) {
    const note = `${status} with ${JSON.stringify(output)}, expected is ${JSON.stringify(expected)}`;
    report(output === undefined ? 'object-missing' : 'object-differs', note);
  }
  if (isDue && expected === undefined) report('object-differs', 'completed without an object');
  if (failure === 'OUTPUT_INVALID' && plan.object?.expected !== undefined) {
    report('object-missing', `failed for ${JSON.stringify(plan.object.expected)}`);
  }
  for (const { name, frames, hasLeft } of fresh === undefined ? readers : [...readers, fresh]) {
    const finals = frames.filter(({ event }) => event === 'output:final');
    for (const { data } of finals) {
      if (isDeepStrictEqual(data['output'], output)) continue;
      const note = `${name} was told ${JSON.stringify(data['output'])}, stored is ${JSON.stringify(output)}`;
      report('object-differs', note);
    }
    if (finals.length > 1) report('object-differs', `${name} was told ${finals.length} times`);
    if (finals.length === 0 && output !== undefined && !hasLeft) {
      report('object-missing', `${name} was not told of the object`);
    }
  }
  return found;
}
