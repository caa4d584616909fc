import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ExtractionRequest } from '../extraction-types.js';
import { runJob } from './run-job.js';

/**
 * The entry of an extractor process: one request at a time, answered by one message. `ExtractorProcess`
 * starts it.
 */

/** A thread ends the process when its parent died: a parser that hangs would not get the event. */
const watchdog = `
  const { ppid } = process;
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  }, 1_000);
`;
new Worker(watchdog, { eval: true }).unref();

// The server's own processes go first.
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);

let folder: string | undefined;

process.on('message', (request: ExtractionRequest) => {
  folder = path.dirname(request.file);
  void runJob(request).then((answer) => process.send?.({ type: 'answer', answer }));
});
process.on('disconnect', () => {
  // The parent, which removes the folder, has died.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.({ type: 'ready' });
