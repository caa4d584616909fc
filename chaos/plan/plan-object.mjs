/** The schema of all objects; `count` has a least value that the provider's form does not know. */
const schema = {
  type: 'object',
  required: ['turn', 'count'],
  properties: { turn: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
};

/**
 * Plans a turn that is to end with an object: at once, after a repair, or never.
 *
 * @param {string} name
 * @param {import('./random.mjs').Random} random
 * @returns {{ message: string, opts: Record<string, unknown>, object: import('../types.js').PlannedObject }}
 */
export function planObject(name, random) {
  const expected = { turn: name, count: random.whole(1, 1_000) };
  const right = JSON.stringify(expected);
  const wrong = JSON.stringify({ turn: name, count: 0 });
  const opts = { output: { schema } };
  switch (random.pick(/** @type {const} */ (['right', 'right', 'repaired', 'wrong']))) {
    case 'right':
      return { message: `[[output=${right}]]`, opts, object: { expected } };
    case 'repaired': {
      const message = `[[output=${wrong} step=1]] [[output=${right} step=2]]`;
      return { message, opts, object: { expected } };
    }
    case 'wrong':
      return { message: `[[output=${wrong}]]`, opts, object: { expected: undefined } };
    default:
      throw new Error('Unknown object');
  }
}
