/**
 * `node bench/console.mjs` measures the console's main thread while a reply streams at 200 deltas a second
 * for a minute, or for `--seconds N`. Run `npm run build` before. Chromium is found as in the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { cleanUpAtExit } from '../scripts/services/clean-up-at-exit.mjs';
import { findChromium } from '../scripts/services/find-chromium.mjs';
import { serverOptions, serverScript } from '../scripts/services/start-command.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const log = (line) => process.stdout.write(`${line}\n`);
const GAP_MS = 5;
const seconds = Number(process.argv[process.argv.indexOf('--seconds') + 1]) || 60;

/** The probe that runs in the page; its numbers are collected at the end. */
const watch = `
  window.bench = { long: [], frames: 0, gaps: [] };
  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) window.bench.long.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  let last = performance.now();
  const frame = (now) => {
    window.bench.frames += 1;
    window.bench.gaps.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
`;

const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-console-bench-'));
cleanUpAtExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
const found = findChromium(log);
if ('fault' in found) throw new Error(found.fault);
const server = await startServer();
const browser = await chromium.launch({ executablePath: found.program, args: ['--no-sandbox'] });
try {
  await measure(server.url);
  reportSizes();
} finally {
  await browser.close();
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
}

async function measure(url) {
  const page = await browser.newPage({ viewport: { width: 1_200, height: 800 } });
  await page.addInitScript(watch);
  await page.goto(url);
  await page.getByLabel('Folder').fill(folder);
  const deltas = Math.round((seconds * 1_000) / GAP_MS);
  await page.getByLabel('Message').fill(`[[tokens=${deltas} gap=${GAP_MS}]]`);
  await page.keyboard.press('Enter');
  await page
    .getByText(/word20 /)
    .first()
    .waitFor();
  const startedAt = Date.now();
  await page.evaluate('Object.assign(window.bench, { long: [], frames: 0, gaps: [] }); undefined');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busyBefore = await busySeconds(devtools);
  const early = await heapAt(devtools, startedAt, Math.min(10, seconds / 3));
  const late = await heapAt(devtools, startedAt, seconds - 2);
  await page.getByText('Done', { exact: true }).waitFor({ timeout: seconds * 2_000 + 30_000 });
  const streamedMs = Date.now() - startedAt;
  const busy = (await busySeconds(devtools)) - busyBefore;
  const { long, frames, gaps } = await page.evaluate('window.bench');
  const sorted = gaps.sort((a, b) => a - b);
  log(
    `deltas           ${deltas} in ${(streamedMs / 1_000).toFixed(1)} s: ${Math.round((deltas * 1_000) / streamedMs)}/s`,
  );
  log(
    `long tasks       ${long.length} over 50 ms${long.length > 0 ? `: ${long.map(([, ms]) => `${Math.round(ms)} ms`).join(', ')}` : ''}`,
  );
  log(
    `frames           ${Math.round((frames * 1_000) / streamedMs)}/s, between two: median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} ms, 99 % ${sorted[Math.floor(sorted.length * 0.99)]?.toFixed(1)} ms`,
  );
  log(`main thread      ${((busy * 100_000) / streamedMs).toFixed(0)} % of a processor`);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const heap = [
    `${mib(early.used)} MiB after ${early.at} s`,
    `${mib(late.used)} MiB after ${late.at} s`,
    `${mib(usedSize)} MiB at the end, without garbage`,
  ];
  log(`JS heap          ${heap.join(', ')}`);
}

/** Processor time of the page's tasks; wall time would count waiting on a busy machine. */
async function busySeconds(devtools) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

/** The least heap within two seconds, without garbage. */
async function heapAt(devtools, startedAt, at) {
  await new Promise((resolve) =>
    setTimeout(resolve, Math.max(0, startedAt + at * 1_000 - Date.now())),
  );
  let used = Infinity;
  for (let sample = 0; sample < 20; sample += 1) {
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    used = Math.min(used, usedSize);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { at: Math.round(at), used };
}

function reportSizes() {
  const web = path.join(root, 'dist/web');
  const files = readdirSync(web, { recursive: true }).filter((name) =>
    /\.(html|js|css|svg)$/.test(name),
  );
  const sizes = files.map((name) => ({
    name,
    bytes: gzipSync(readFileSync(path.join(web, name)), { level: 9 }).length,
  }));
  const first = sizes.filter(({ name }) => /^(index\.html|assets\/index-.*)$/.test(name));
  const sum = (some) => some.reduce((total, { bytes }) => total + bytes, 0).toLocaleString('en-US');
  log(`page, gzip       ${sum(first)} bytes at first, ${sum(sizes)} in all`);
}

async function startServer() {
  const child = spawn(process.execPath, [...serverOptions, serverScript], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TURNPIKE_PORT: '0',
      TURNPIKE_PROVIDER: 'rehearsal',
      TURNPIKE_DATA_DIR: path.join(folder, 'data'),
      TURNPIKE_INSTRUCTION_ROOT: path.join(root, 'instructions'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
      const served = /serves (http:\S+)/.exec(printed)?.[1];
      if (served !== undefined) resolve(served);
    });
    child.once('exit', (code) => reject(new Error(`The server exited with ${code}`)));
  });
  return { child, url };
}

function mib(bytes) {
  return (bytes / 1_048_576).toFixed(1);
}
