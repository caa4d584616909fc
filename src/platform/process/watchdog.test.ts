import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';

const hooks = new URL('../../../test/jest/typescript-hooks.mjs', import.meta.url).href;
const module = new URL('watchdog.ts', import.meta.url).href;

/** Starts a process with a watchdog; resolves when it has started. */
async function run(stillMs: number, code: string) {
  const source = `
    await import(${JSON.stringify(hooks)});
    const { startWatchdog } = await import(${JSON.stringify(module)});
    const onError = (error) => console.error(error);
    const stop = startWatchdog({ stillMs: ${stillMs}, lastLine: 'blocked', readable: false, onError });
    const block = (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); };
    console.log('started');
    ${code}`;
  const args = ['--input-type=module', '-e', source];
  const child = spawn(process.execPath, args);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  await once(child.stdout, 'data');
  const ended = closed.then(([code, signal]) => ({ code, signal, stderr }));
  return { child, ended };
}

describe('startWatchdog', () => {
  it.concurrent('ends a process whose event loop is blocked, with its last line', async () => {
    const { ended } = await run(500, 'for (;;);');
    const { signal, stderr } = await ended;
    expect(signal).toBe('SIGKILL');
    expect(JSON.parse(stderr)).toMatchObject({ level: 'error', msg: 'blocked' });
  });

  it.concurrent('leaves a process that waits, and does not keep it alive', async () => {
    const { ended } = await run(1_000, 'setTimeout(() => undefined, 3_000);');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
  });

  it.concurrent('leaves a process that was paused as a whole', async () => {
    const { child, ended } = await run(3_000, 'setTimeout(() => undefined, 5_000);');
    child.kill('SIGSTOP');
    await setTimeout(4_000);
    child.kill('SIGCONT');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
  });

  it.concurrent('ends nothing after it was stopped', async () => {
    const { ended } = await run(500, 'await stop(); block(1_500);');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
  });
});
