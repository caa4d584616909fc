import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';

const run = fileURLToPath(new URL('../../chaos/run.mjs', import.meta.url));

/** The run ends by itself well before; a run that hangs is stopped, and stops what it started. */
const MAX_MS = 110_000;

describe('chaos', () => {
  let stop: (() => Promise<void>) | undefined;

  afterEach(async () => stop?.());

  it(
    'a cluster under load keeps its promise through every kind of fault',
    async () => {
      const child = spawn(process.execPath, [run, '--minutes', '0.3', '--seed', '24'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exited = once(child, 'exit') as Promise<[number | null]>;
      stop = async () => {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
        await exited;
      };
      let printed = '';
      for (const output of [child.stdout, child.stderr]) {
        output.setEncoding('utf8').on('data', (text: string) => (printed += text));
      }
      const timer = setTimeout(() => child.kill('SIGTERM'), MAX_MS);
      const [code] = await exited;
      clearTimeout(timer);
      // The printed report says what was wrong, and how to do it again.
      if (code !== 0) throw new Error(`It exited with ${code}:\n${printed}`);

      // Every kind of fault happened, or the run proves nothing.
      for (const fault of ['kill-worker', 'kill-api', 'freeze-worker', 'flush-redis']) {
        expect(count(printed, fault)).toBeGreaterThan(0);
      }
      expect(printed).toMatch(/^\| fill-postgres \| ([1-9]\d*|left out: .+) \|$/m);
      expect(count(printed, 'completed')).toBeGreaterThan(10);
      expect(count(printed, 'with more than one attempt')).toBeGreaterThan(0);
      expect(count(printed, 'broken streams')).toBeGreaterThan(0);
    },
    MAX_MS + 10_000,
  );
});

/** The number in a row of the report; 0 when there is no such row. */
function count(report: string, row: string): number {
  return Number(new RegExp(`^\\| ${row} +\\| (\\d+) +\\|$`, 'm').exec(report)?.[1] ?? 0);
}
