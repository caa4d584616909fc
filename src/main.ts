import { nodeFault } from './platform/process/node-version.js';

// Said before anything else is loaded: an old Node would stop at the first thing that it does not know.
const fault = nodeFault();
if (fault === undefined) {
  const { runCli } = await import('./cli/run-cli.js');
  process.exitCode = await runCli(['serve', ...process.argv.slice(2)]);
} else {
  process.stderr.write(fault);
  process.exitCode = 1;
}
