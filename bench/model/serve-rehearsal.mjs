/** The rehearsal model as a process of its own, for what needs tools. */
import { startRehearsal } from '../../dist/start-rehearsal.js';

const rehearsal = await startRehearsal();
process.stdout.write(`serves ${rehearsal.url}\n`);
process.once('SIGTERM', () => void rehearsal.close());
