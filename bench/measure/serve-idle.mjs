/** A process that does nothing: how long its event loop stands still is the machine's doing. */
import './watch-loop.mjs';

setInterval(() => undefined, 1_000);
process.stdout.write('serves http://127.0.0.1:0\n');
