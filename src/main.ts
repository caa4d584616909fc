import { nodeFault } from './platform/process/node-version.js';

// Said before anything else is loaded: an old Node would stop at the first thing that it does not know.
const fault = nodeFault();
if (fault === undefined) {
  const { serveCommand } = await import('./cli/commands/serve-command.js');
  process.exitCode = await serveCommand(process.argv.slice(2), process.env);
} else {
  process.stderr.write(fault);
  process.exitCode = 1;
}
