import { parseArgs } from 'node:util';
import { checkNames } from './checks/run-checks.mjs';
import { authKinds } from './processes/open-credentials.mjs';
import { targetNames } from './processes/start-target.mjs';
import { scenariosFor } from './scenarios.mjs';

/**
 * @typedef {object} Options
 * @property {boolean} quick @property {string[]} scenarios @property {string[]} checks
 * @property {string[]} targets @property {number} rounds
 * @property {boolean} strict exits with 1 for a target that is missed or not measured, too.
 * @property {import('./processes/open-credentials.mjs').AuthKind[]} auth of the load.
 * @property {string | undefined} json @property {string | undefined} cpuProfiles
 */

const MAX_ROUNDS = 50;

/** Run only where they are named: the first takes half an hour, the others too long for a quick run. */
const namedOnly = ['sessions'];
const notQuick = ['p50', 'chat-paced', 'grow', 'scale', ...namedOnly];

export const usage = `npm run bench -- [options]
  --quick            under 8 minutes: fewer rounds and turns; direct only in p200; without names,
                     none of ${notQuick.join(', ')}
  --scenarios a,b    of ${[...Object.keys(scenariosFor(false)), ...checkNames].join(', ')}; without
                     names, all but ${namedOnly.join(', ')}
  --targets a,b      of ${targetNames.join(', ')}
  --rounds N         of every scenario (2, or 5 without --quick)
  --auth a,b         of none, key, token: what the load sends to our servers in scenarios (none); with
                     key,token each round has both, and the report compares them
  --strict           exits with 1 also where a target is missed, or not measured
  --json FILE        every number of every round
  --cpu-prof DIR     CPU profiles of our processes and the proxy's (the numbers get worse)`;

/** @param {string[]} args @returns {Options | 'help'} @throws {Error} that says what is allowed. */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      scenarios: { type: 'string' },
      targets: { type: 'string' },
      rounds: { type: 'string' },
      auth: { type: 'string', default: 'none' },
      strict: { type: 'boolean', default: false },
      json: { type: 'string' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const all = Object.keys(scenariosFor(values.quick));
  const known = [...all, ...checkNames];
  const leftOut = values.quick ? notQuick : namedOnly;
  const named =
    values.scenarios === undefined
      ? known.filter((name) => !leftOut.includes(name))
      : pick('scenario', values.scenarios, known);
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 5));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) {
    throw new Error(`--rounds takes a whole number from 1 to ${MAX_ROUNDS}`);
  }
  return {
    quick: values.quick,
    scenarios: named.filter((name) => all.includes(name)),
    checks: named.filter((name) => checkNames.includes(name)),
    targets: pick('target', values.targets, targetNames),
    rounds,
    auth: pickAuth(values.auth),
    strict: values.strict,
    json: values.json,
    cpuProfiles: values['cpu-prof'],
  };
}

/** @param {string} given */
function pickAuth(given) {
  const names = given.split(',');
  const kinds = authKinds.filter((kind) => names.includes(kind));
  const isMixed = kinds.length > 1 && kinds.includes('none');
  if (kinds.length !== names.length || isMixed) {
    throw new Error('--auth takes none, key, token, or key,token');
  }
  return kinds;
}

/** @param {string} kind @param {string | undefined} given @param {string[]} known */
function pick(kind, given, known) {
  if (given === undefined) return known;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`There is no ${kind} "${unknown}"; there are ${known.join(', ')}`);
  }
  return known.filter((name) => names.includes(name));
}
