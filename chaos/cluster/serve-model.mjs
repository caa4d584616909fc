/** The rehearsal model in a process of its own: it outlives every server that is killed. */
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
// Whoever started it is gone.
process.stdin.resume().once('end', stop);
