import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { runJob } from './run-job.js';
import type { ExtractionRequest } from './extraction-job.js';

/**
 * The process that reads files: one request at a time, answered by one message. It is started by
 * `ExtractorProcess`.
 */

/** A parser that does not come back hears nothing: a thread beside it sees that the parent died. */
const watchdog = `
  const { ppid } = process;
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  }, 1_000);
`;
new Worker(watchdog, { eval: true }).unref();

// What serves clients goes first.
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);

let folder: string | undefined;

process.on('message', (request: ExtractionRequest) => {
  folder = path.dirname(request.file);
  void runJob(request).then((answer) => process.send?.({ type: 'answer', answer }));
});
process.on('disconnect', () => {
  // Whoever would have removed it died.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.({ type: 'ready' });
