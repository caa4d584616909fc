import { parseArgs } from 'node:util';

export const usage = `npm run chaos -- [--minutes N] [--seed S] [--turns-at-once K] [--apis N] [--workers N] [--auth] [--keep]

  --minutes N        of load and faults (default 2; a fraction is fine)
  --seed S           decides every fault and every turn (default: a random one, which is printed)
  --turns-at-once K  (default 16)
  --apis, --workers  processes (default 2 and 3)
  --lease-ms MS      of a turn (default 2000)
  --auth             clients are people of two identity providers and of pages; one of them leaves
  --keep             keeps the logs also when nothing is wrong`;

/**
 * @param {string[]} args
 * @returns {{ minutes: number, seed: number, turnsAtOnce: number, apis: number, workers: number, leaseMs: number, auth: boolean, keep: boolean }}
 * @throws {Error} that names the wrong argument
 */
export function parseArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
      'turns-at-once': { type: 'string', default: '16' },
      apis: { type: 'string', default: '2' },
      workers: { type: 'string', default: '3' },
      'lease-ms': { type: 'string', default: '2000' },
      auth: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const number = (
    /** @type {Exclude<keyof typeof values, 'auth' | 'keep'>} */ name,
    /** @type {{ min: number, max: number, whole?: boolean }} */ { min, max, whole = true },
  ) => {
    const value = Number(values[name]);
    const isFine = value >= min && value <= max && (!whole || Number.isInteger(value));
    if (isFine && values[name].trim() !== '') return value;
    throw new Error(`--${name} is "${values[name]}"; allowed: ${min} to ${max}`);
  };
  return {
    minutes: number('minutes', { min: 0.1, max: 1_440, whole: false }),
    seed: number('seed', { min: 0, max: 2 ** 32 - 1 }),
    turnsAtOnce: number('turns-at-once', { min: 1, max: 1_000 }),
    apis: number('apis', { min: 1, max: 16 }),
    workers: number('workers', { min: 1, max: 32 }),
    leaseMs: number('lease-ms', { min: 1_000, max: 600_000 }),
    auth: values.auth,
    keep: values.keep,
  };
}
