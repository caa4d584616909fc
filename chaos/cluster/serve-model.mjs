/**
 * Serves the rehearsal model in a process that outlives killed servers, and writes for each request the names of the
 * turns that it has to the file `CHAOS_VIEWS`.
 */
import { appendFileSync } from 'node:fs';
import { startRehearsal } from '../../dist/start-rehearsal.js';
import { namesIn } from '../plan/turn-names.mjs';

const { CHAOS_VIEWS: views = '' } = process.env;
const model = await startRehearsal({
  onRequest: ({ body }) => {
    const names = namesIn(body.messages);
    if (names.length > 0) appendFileSync(views, `${names.join(' ')}\n`);
  },
});
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
