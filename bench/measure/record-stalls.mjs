/**
 * Preloaded into a process: records the stalls of its event loop, in ms, between two SIGUSR2, and writes them
 * to BENCH_LOOP_FILE. The first signal comes after the start.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 2;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let isMeasuring = false;

process.on('SIGUSR2', () => {
  isMeasuring = !isMeasuring;
  if (isMeasuring) {
    delay.reset();
    delay.enable();
    return;
  }
  delay.disable();
  const file = process.env['BENCH_LOOP_FILE'] ?? '';
  const inMs = (/** @type {number} */ ns) => Math.max(0, ns / 1e6 - RESOLUTION_MS);
  const facts = { maxMs: inMs(delay.max), p999Ms: inMs(delay.percentile(99.9)) };
  writeFileSync(`${file}.new`, JSON.stringify(facts));
  renameSync(`${file}.new`, file);
});
