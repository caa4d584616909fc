/** Serves the rehearsal model as a separate process, for checks with tools. */
import { startRehearsal } from '../../dist/start-rehearsal.js';

const rehearsal = await startRehearsal();
process.stdout.write(`serves ${rehearsal.url}\n`);
process.once('SIGTERM', () => void rehearsal.close());
