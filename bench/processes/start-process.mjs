import { startServer } from '../../scripts/services/start-server.mjs';

/** @typedef {import('../../scripts/services/start-server.mjs').Server} Process */

/** The variables that every process of the bench inherits. */
const inherited = ['TMPDIR', 'LANG'];

/**
 * Starts a Node program that prints `serves http://…` once it is up.
 *
 * @param {{name: string, script: string, cwd: string, nodeOptions?: string[], env?: Record<string, string>, cpuProfiles?: string | undefined}} options
 *   `cpuProfiles`: the folder for a CPU profile at the end.
 * @returns {Promise<Process>}
 */
export function startProcess({ name, script, cwd, nodeOptions = [], env = {}, cpuProfiles }) {
  const base = inherited.flatMap((key) => {
    const value = process.env[key];
    return value === undefined ? [] : [[key, value]];
  });
  const profiling =
    cpuProfiles === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${cpuProfiles}`, `--cpu-prof-name=${profileName(name)}`];
  const environment = { ...Object.fromEntries(base), ...env };
  return startServer({
    name,
    script,
    cwd,
    nodeOptions: [...nodeOptions, ...profiling],
    environment,
  });
}

/** @type {Map<string, number>} */
const profiled = new Map();

/** @param {string} name */
function profileName(name) {
  const count = (profiled.get(name) ?? 0) + 1;
  profiled.set(name, count);
  return `${name}-${count}.cpuprofile`;
}
