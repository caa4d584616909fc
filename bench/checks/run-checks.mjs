import { measureClient } from '../client-overhead.mjs';
import { measureCache } from './measure-cache.mjs';
import { measureCrash } from './measure-crash.mjs';
import { measureFiles } from './measure-files.mjs';
import { measureGrow } from './measure-grow.mjs';
import { measureIdle } from './measure-idle.mjs';
import { measureRest } from './measure-rest.mjs';
import { measureResume } from './measure-resume.mjs';
import { measureScale } from './measure-scale.mjs';
import { measureSessions } from './measure-sessions.mjs';
import { measureSteps } from './measure-steps.mjs';

/**
 * @typedef {import('./finding.mjs').BenchContext} BenchContext
 * @typedef {import('./finding.mjs').Finding} Finding
 * @typedef {{name: string, findings: Finding[], error?: string}} Checked
 */

/** Checks by name; those with a target run on each target, the others on the distributed one. @type {Record<string, (context: BenchContext, target: string) => Promise<Finding[]>>} */
const checks = {
  steps: measureSteps,
  cache: measureCache,
  grow: measureGrow,
  resume: measureResume,
  crash: measureCrash,
  idle: measureIdle,
  files: measureFiles,
  rest: measureRest,
  scale: measureScale,
  sessions: measureSessions,
  client: ({ options }) => measureClient({ events: options.quick ? 50_000 : 200_000 }),
};
/** The names of all checks, in the order in which they run. */
export const checkNames = Object.keys(checks);

const onEither = ['steps', 'cache', 'resume', 'rest', 'grow'];

/**
 * Runs the chosen checks. A check that fails is reported and does not stop the others.
 *
 * @param {BenchContext} context whose `checks` they are added to.
 */
export async function runChecks(context) {
  const { checks: all } = context;
  for (const name of context.options.checks) {
    for (const target of targetsOf(name, context)) {
      if (context.isOver()) {
        all.push({ name, findings: [], error: `cut short: no time was left for ${target}` });
        continue;
      }
      context.log(`${name} ${target} …`);
      all.push(await runCheck(context, name, target));
    }
  }
}

/** @param {string} name @param {BenchContext} context @returns {string[]} */
function targetsOf(name, { options }) {
  // The client check needs no server.
  if (name === 'client') return ['library'];
  const possible = onEither.includes(name) ? ['distributed', 'embedded'] : ['distributed'];
  // Its cost grows as well: the client sends it the whole conversation.
  if (name === 'grow') possible.push('proxy');
  return possible.filter((target) => options.targets.includes(target));
}

/** @param {BenchContext} context @param {string} name @param {string} target @returns {Promise<Checked>} */
async function runCheck(context, name, target) {
  try {
    return { name, findings: (await checks[name]?.(context, target)) ?? [] };
  } catch (error) {
    return { name, findings: [], error: error instanceof Error ? error.message : String(error) };
  }
}
