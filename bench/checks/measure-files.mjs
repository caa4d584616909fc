import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makePdf } from '../load/make-pdf.mjs';
import { openSessions } from '../load/open-sessions.mjs';
import { residentKb, sampleMemory } from '../measure/sample-memory.mjs';
import { startProcess } from '../processes/start-process.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { postTurn } from './read-frames.mjs';

const turns = 100;
const pdfBytes = 5 * 1024 * 1024;
const stallMs = 50;
const message = '[[tokens=20 gap=5]]';
const preload = fileURLToPath(new URL('../measure/record-stalls.mjs', import.meta.url));
const idleScript = fileURLToPath(new URL('../measure/serve-idle.mjs', import.meta.url));

const MAX_TRIES = 100;

/**
 * @typedef {import('./finding.mjs').Finding} Finding
 * @typedef {{maxMs: number, p999Ms: number}} Stalls
 * @typedef {(url: string, file: string, sessionId: string) => Promise<void>} Run
 */

/**
 * Runs 100 turns at once, each with its own PDF of 5 MiB, by path and as a form to a named agent. Measures
 * memory and the stalls of the API's event loop.
 *
 * @param {import('./finding.mjs').BenchContext} context
 * @returns {Promise<Finding[]>}
 */
export async function measureFiles({ setup, projectRoot, onStop }) {
  const folder = path.join(projectRoot, 'files');
  await mkdir(folder, { recursive: true });
  const files = Array.from({ length: turns }, (_, index) => path.join(folder, `${index}.pdf`));
  for (const file of files) await writeFile(file, makePdf(pdfBytes));
  /** @param {string} how @param {Run} run */
  const measure = async (how, run) => {
    const loop = path.join(setup.folder, `loop-${how}.json`);
    const control = path.join(setup.folder, `loop-${how}-idle.json`);
    const target = await startTarget('distributed', setup, {
      NODE_OPTIONS: `--import=${preload}`,
      BENCH_LOOP_FILE: loop,
    });
    onStop(target.stop);
    // An idle process, whose stalls are the machine's.
    const idle = await startProcess({
      name: 'idle',
      script: idleScript,
      cwd: setup.folder,
      env: { BENCH_LOOP_FILE: control },
    });
    onStop(idle.stop);
    try {
      const [api, worker] = target.processes;
      if (api === undefined || worker === undefined) throw new Error('There is no worker');
      const sessions = await openSessions(target.url, turns, projectRoot);
      const before = { api: residentKb(api.pid), worker: residentKb(worker.pid) };
      const memory = sampleMemory({ api: api.pid, worker: worker.pid });
      for (const pid of [api.pid, idle.pid]) process.kill(pid, 'SIGUSR2');
      const startedAt = performance.now();
      await Promise.all(files.map((file, index) => run(target.url, file, sessions[index] ?? '')));
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const pid of [api.pid, idle.pid]) process.kill(pid, 'SIGUSR2');
      const { peaksKb } = memory.stop();
      return describe(how, {
        seconds,
        apiMb: ((peaksKb['api'] ?? NaN) - before.api) / 1_024,
        workerMb: ((peaksKb['worker'] ?? NaN) - before.worker) / 1_024,
        api: await readStalls(loop),
        idle: await readStalls(control),
      });
    } finally {
      await idle.stop();
      await target.stop();
    }
  };
  return [...(await measure('path', byPath)), ...(await measure('form', asForm))];
}

/** @param {string} file @returns {Promise<Stalls>} */
async function readStalls(file) {
  for (let tries = 0; ; tries += 1) {
    try {
      return JSON.parse(await readFile(file, 'utf8'));
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await delay(50);
    }
  }
}

/** @param {string} url @param {string} file @param {string} sessionId */
async function byPath(url, file, sessionId) {
  let last = '';
  for await (const { event, data } of postTurn(url, { sessionId, message, attachments: [file] })) {
    last = `${event} ${data}`;
  }
  if (last !== 'process:exit {"exitCode":0}') throw new Error(`A turn ended with ${last}`);
}

/** @param {string} url @param {string} file */
async function asForm(url, file) {
  const form = new FormData();
  form.append('message', message);
  form.append('files', new Blob([await readFile(file)]), path.basename(file));
  const response = await fetch(`${url}/agent/reader/chat`, { method: 'POST', body: form });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.json();
}

/**
 * @param {string} how
 * @param {{seconds: number, apiMb: number, workerMb: number, api: Stalls, idle: Stalls}} facts
 * @returns {Finding[]}
 */
function describe(how, { seconds, apiMb, workerMb, api, idle }) {
  const what = `100 PDFs of 5 MiB, ${how}`;
  const beside = `a process that does nothing: ${idle.maxMs.toFixed(0)}`;
  return [
    {
      what: `${what}: longest stall of the API`,
      value: api.maxMs,
      unit: 'ms',
      most: stallMs,
      note: `p99.9 ${api.p999Ms.toFixed(0)} ms; ${beside}, p99.9 ${idle.p999Ms.toFixed(0)} ms`,
    },
    { what: `${what}: memory of the API beyond idle`, value: apiMb, unit: 'MB' },
    { what: `${what}: memory of the worker beyond idle`, value: workerMb, unit: 'MB' },
    { what: `${what}: all ended after`, value: seconds, unit: 's' },
  ];
}
