import { measureClient } from '../client-overhead.mjs';
import { measureCache } from './measure-cache.mjs';
import { measureCrash } from './measure-crash.mjs';
import { measureFiles } from './measure-files.mjs';
import { measureIdle } from './measure-idle.mjs';
import { measureResume } from './measure-resume.mjs';
import { measureSteps } from './measure-steps.mjs';

/**
 * @typedef {import('./finding.mjs').Ground} Ground
 * @typedef {import('./finding.mjs').Finding} Finding
 * @typedef {{name: string, findings: Finding[], error?: string}} Checked
 */

/** Those of one target run on each, the others where there is a worker apart. @type {Record<string, (ground: Ground, target: string) => Promise<Finding[]>>} */
const checks = {
  steps: measureSteps,
  cache: measureCache,
  resume: measureResume,
  crash: measureCrash,
  idle: measureIdle,
  files: measureFiles,
  client: ({ options }) => measureClient({ events: options.quick ? 50_000 : 200_000 }),
};
const onEither = ['steps', 'cache', 'resume'];

/**
 * Runs the chosen checks. One that fails is part of the report and does not end the others.
 *
 * @param {Ground} ground @returns {Promise<Checked[]>}
 */
export async function runChecks(ground) {
  /** @type {Checked[]} */
  const all = [];
  for (const name of ground.options.checks) {
    for (const target of targetsOf(name, ground)) {
      ground.say(`${name} ${target} …`);
      all.push(await runCheck(ground, name, target));
    }
  }
  return all;
}

/** @param {string} name @param {Ground} ground @returns {string[]} */
function targetsOf(name, { options }) {
  // A library: no server has to do with it.
  if (name === 'client') return ['library'];
  const possible = onEither.includes(name) ? ['distributed', 'embedded'] : ['distributed'];
  return possible.filter((target) => options.targets.includes(target));
}

/** @param {Ground} ground @param {string} name @param {string} target @returns {Promise<Checked>} */
async function runCheck(ground, name, target) {
  try {
    return { name, findings: (await checks[name]?.(ground, target)) ?? [] };
  } catch (error) {
    return { name, findings: [], error: error instanceof Error ? error.message : String(error) };
  }
}
