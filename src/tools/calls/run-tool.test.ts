import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { assert, nat, property, string } from 'fast-check';
import type { Clock } from '../../platform/clock.js';
import { compileInputCheck } from '../../platform/json-schema/check-input.js';
import type { CallableTool } from '../registry.js';
import { ToolFailure } from '../tool.js';
import { runTool, type RunToolOptions, describeFailure, capOutput } from './run-tool.js';

/** A clock that the test advances. */
function manualClock(): Clock & { advance(ms: number): void; pending(): number } {
  let now = 1_000;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    after: (delayMs, callback) => {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance: (ms) => {
      const until = now + ms;
      for (;;) {
        const next = timers.filter((one) => one.at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        now = next.at;
        timers = timers.filter((one) => one !== next);
        next.callback();
      }
      now = until;
    },
    pending: () => timers.length,
  };
}

function tool(run: CallableTool['run']): CallableTool {
  const checkInput = compileInputCheck({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  return { name: 'probe', effect: 'read', retry: 'safe', checkInput, run };
}

function setUp(changes: Partial<RunToolOptions> = {}) {
  const clock = manualClock();
  const turn = new AbortController();
  const said: { note: string; elapsedMs: number }[] = [];
  const options: RunToolOptions = {
    callId: 'call_1',
    idempotencyKey: 'turn_1:call_1',
    signal: turn.signal,
    timeoutMs: 30_000,
    outputLimit: 1_000,
    clock,
    progress: (note, elapsedMs) => said.push({ note, elapsedMs }),
    ...changes,
  };
  return { clock, turn, said, options };
}

const never = (): Promise<string> => new Promise<string>(() => undefined);

describe('runTool', () => {
  it('returns what the tool returned and how long it took', async () => {
    const { clock, options } = setUp();
    const outcome = await runTool(
      tool(async ({ text }, { callId }) => {
        clock.advance(250);
        return `${callId} said ${JSON.stringify(text)}`;
      }),
      { text: 'hi' },
      options,
    );
    expect(outcome).toEqual({ status: 'success', output: 'call_1 said "hi"', durationMs: 250 });
    expect(clock.pending()).toBe(0);
  });

  it('does not run a tool whose input does not fit', async () => {
    const { options } = setUp();
    let ran = false;
    const outcome = await runTool(
      tool(async () => {
        ran = true;
        return '';
      }),
      { txt: 'hi' },
      options,
    );
    expect(ran).toBe(false);
    expect(outcome).toEqual({
      status: 'error',
      output: 'probe: input is not valid: text is required',
      durationMs: 0,
    });
  });

  it('caps the output', async () => {
    const { options } = setUp({ outputLimit: 10 });
    const outcome = await runTool(
      tool(async () => 'a'.repeat(90) + 'b'.repeat(10)),
      { text: '' },
      options,
    );
    expect(outcome.output).toBe('aaaaa\n[output cut: 10 of 100 characters shown]\nbbbbb');
  });

  it.each([
    ['a word for the model', new ToolFailure('no such row'), 'no such row'],
    ['a fault', new Error('boom'), 'probe failed: boom'],
    ['no error at all', 'a string', 'probe failed: a string'],
  ])('makes %s that is thrown an outcome', async (_name, thrown, output) => {
    const { clock, options } = setUp();
    const outcome = await runTool(
      tool(() => Promise.reject(thrown)),
      { text: '' },
      options,
    );
    expect(outcome).toEqual({ status: 'error', output, durationMs: 0 });
    expect(clock.pending()).toBe(0);
  });

  it('catches a tool that throws before it returns a promise', async () => {
    const { options } = setUp();
    const throws = tool(() => {
      throw new Error('at once');
    });
    await expect(runTool(throws, { text: '' }, options)).resolves.toMatchObject({
      status: 'error',
      output: 'probe failed: at once',
    });
  });

  it('stops waiting when the time is over, also for a tool that ignores its signal', async () => {
    const { clock, options } = setUp();
    let signal: AbortSignal | undefined;
    const running = runTool(
      tool((_input, call) => {
        signal = call.signal;
        return never();
      }),
      { text: '' },
      options,
    );
    clock.advance(29_999);
    expect(signal?.aborted).toBe(false);
    clock.advance(1);
    expect(signal?.aborted).toBe(true);
    const outcome = await running;
    expect(outcome).toMatchObject({ status: 'error', durationMs: 30_000 });
    expect(outcome.output).toContain('probe timed out after 30000 ms');
    expect(clock.pending()).toBe(0);
  });

  it('gives a tool that reports progress more time, and not for ever', async () => {
    const { clock, options } = setUp();
    let report = (): void => undefined;
    const patient = tool((_input, call) => {
      report = () => call.progress('on its way');
      return never();
    });
    const run = () =>
      runTool({ ...patient, timeLimit: { ms: 4_000, maxMs: 9_000 } }, { text: '' }, options);
    const silent = run();
    clock.advance(4_000);
    expect(await silent).toMatchObject({ status: 'error', durationMs: 4_000 });
    const busy = run();
    for (let at = 0; at < 9_000; at += 3_000) {
      report();
      clock.advance(3_000);
    }
    const outcome = await busy;
    expect(outcome).toMatchObject({ status: 'error', durationMs: 9_000 });
    expect(outcome.output).toContain('timed out after 4000 ms without progress, or 9000 ms in all');
    expect(clock.pending()).toBe(0);
  });

  it('rejects with the reason of the turn, also for a tool that ignores its signal', async () => {
    const { clock, turn, options } = setUp();
    const running = runTool(tool(never), { text: '' }, options);
    const reason = new Error('cancelled by the user');
    turn.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(clock.pending()).toBe(0);
  });

  it('rejects with the reason of the turn when the tool turns the abort into its own error', async () => {
    const { turn, options } = setUp();
    const running = runTool(
      tool(
        (_input, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new ToolFailure('aborted')));
          }),
      ),
      { text: '' },
      options,
    );
    const reason = new Error('lease lost');
    turn.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  it('starts nothing in a turn that has ended', async () => {
    const { turn, options } = setUp();
    let ran = false;
    turn.abort(new Error('over'));
    const running = runTool(
      tool(async () => {
        ran = true;
        return '';
      }),
      { text: '' },
      options,
    );
    await expect(running).rejects.toThrow('over');
    expect(ran).toBe(false);
  });

  it('says the first word of the tool at once, then one a second, and that it runs after five seconds of silence', async () => {
    const { clock, said, options } = setUp();
    let finish = (_output: string): void => undefined;
    let note = (_text: string): void => undefined;
    const running = runTool(
      tool((_input, call) => {
        note = (text) => call.progress(text);
        note('row 0');
        return new Promise<string>((resolve) => {
          finish = resolve;
        });
      }),
      { text: '' },
      options,
    );
    for (let row = 1; row <= 500; row += 1) {
      note(`row ${row}`);
      clock.advance(5);
    }
    clock.advance(10_000);
    note('x'.repeat(1_000));
    note('x'.repeat(1_001));
    finish('done');
    await running;
    note('late');
    clock.advance(60_000);
    expect(said).toEqual([
      { note: 'row 0', elapsedMs: 0 },
      { note: 'row 200', elapsedMs: 1_000 },
      { note: 'row 400', elapsedMs: 2_000 },
      { note: 'row 500', elapsedMs: 3_000 },
      { note: 'row 500', elapsedMs: 8_000 },
      { note: 'x'.repeat(200), elapsedMs: 12_500 },
    ]);
  });

  it('says every five seconds that a silent tool runs', async () => {
    const { clock, said, options } = setUp();
    let finish = (_output: string): void => undefined;
    const silent = (): Promise<string> =>
      new Promise<string>((resolve) => {
        finish = resolve;
      });
    const running = runTool(tool(silent), { text: '' }, options);
    clock.advance(14_999);
    finish('done');
    await running;
    expect(said).toEqual([
      { note: 'probe is running', elapsedMs: 5_000 },
      { note: 'probe is running', elapsedMs: 10_000 },
    ]);
  });
});

function thrownBy(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return error;
  }
}

describe('describeFailure', () => {
  it.each<[string, unknown, string]>([
    ["the tool's word", new ToolFailure('see /srv/a/b'), 'see /srv/a/b'],
    ['a system error', thrownBy(() => readFileSync('/srv/none/secret')), 'probe failed: ENOENT'],
    [
      'a path',
      new Error("cannot load '/srv/app/x.js' now"),
      "probe failed: cannot load '<path>' now",
    ],
    ['a file URL', new Error('in file:///srv/app/x.js'), 'probe failed: in <path>'],
    [
      'a URL',
      new Error('GET https://example.com/a/b: 500'),
      'probe failed: GET https://example.com/a/b: 500',
    ],
    ['a stack', new Error('boom\n    at run (/srv/app/x.js:1:1)'), 'probe failed: boom'],
    ['a fraction', new Error('3/4/5 done'), 'probe failed: 3/4/5 done'],
    ['no message', new Error(''), 'probe failed'],
    ['no error', { secret: 1 }, 'probe failed'],
  ])('%s', (_name, error, text) => {
    expect(describeFailure('probe', error)).toBe(text);
  });
});

describe('capOutput', () => {
  it.each([
    ['', 0, ''],
    ['abc', 3, 'abc'],
    ['abcdef', 4, 'ab\n[output cut: 4 of 6 characters shown]\nef'],
    ['abcdef', 3, 'ab\n[output cut: 3 of 6 characters shown]\nf'],
    ['abcdef', 0, '\n[output cut: 0 of 6 characters shown]\n'],
    // A surrogate pair on the cut is dropped whole, at the head and at the tail.
    ['a😀bcdef', 4, 'a\n[output cut: 3 of 8 characters shown]\nef'],
    ['abcde😀f', 4, 'ab\n[output cut: 3 of 8 characters shown]\nf'],
  ])('%j at %i', (text, limit, capped) => {
    expect(capOutput(text, limit)).toBe(capped);
  });

  it('never splits a pair and never keeps more than the limit', () => {
    assert(
      property(string({ unit: 'grapheme' }), nat(30), (text, limit) => {
        const capped = capOutput(text, limit);
        expect(capped).not.toMatch(/\p{Surrogate}/u);
        const shown = /\[output cut: (\d+) of/.exec(capped)?.[1];
        expect(Number(shown ?? 0)).toBeLessThanOrEqual(limit);
        expect(shown === undefined).toBe(text.length <= limit);
      }),
    );
  });
});
