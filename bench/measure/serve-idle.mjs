/** An idle process, whose stalls of the event loop are the machine's. */
import './record-stalls.mjs';

setInterval(() => undefined, 1_000);
process.stdout.write('serves http://127.0.0.1:0\n');
