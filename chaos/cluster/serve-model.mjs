/** Serves the rehearsal model in a process that outlives killed servers. */
import { startRehearsal } from '../../dist/start-rehearsal.js';

const model = await startRehearsal();
process.stdout.write(`serves ${model.url}\n`);
const stop = () => {
  model.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.once('SIGTERM', stop);
// The parent process is gone.
process.stdin.resume().once('end', stop);
