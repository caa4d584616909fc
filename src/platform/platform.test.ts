import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { linkAbort, untilAborted } from './abort.js';
import { errorCode } from './error-code.js';
import { isId, newId } from './ids.js';
import { canonicalJson, isPlainObject } from './json.js';
import { createLogger } from './logger.js';

describe('ids', () => {
  it('are a prefix and a UUID, and nothing else is one', () => {
    const id = newId('sess');
    expect(isId('sess', id)).toBe(true);
    for (const other of [
      '',
      'sess_',
      `${id}x`,
      `x${id}`,
      id.toUpperCase(),
      '../etc',
      `turn_${id}`,
    ]) {
      expect([other, isId('sess', other)]).toEqual([other, false]);
    }
  });
});

describe('canonicalJson', () => {
  it('is the same for equal values, whatever the order of their keys', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
    expect(canonicalJson({ a: undefined })).toBe('{}');
  });

  it('keeps the order of lists', () => {
    expect(canonicalJson([2, 1])).toBe('[2,1]');
  });
});

describe('isPlainObject', () => {
  it.each([
    [{}, true],
    [Object.create(null), true],
    [[], false],
    [null, false],
    [new Date(), false],
    ['x', false],
  ])('%p: %s', (value, expected) => {
    expect(isPlainObject(value)).toBe(expected);
  });
});

describe('linkAbort', () => {
  it('passes an abort on with its reason, until it is detached', () => {
    const outer = new AbortController();
    const linked = new AbortController();
    const detached = new AbortController();
    linkAbort(outer.signal, linked);
    linkAbort(outer.signal, detached)();
    outer.abort('why');
    expect(linked.signal.reason).toBe('why');
    expect(detached.signal.aborted).toBe(false);
  });

  it('passes on an abort that has happened', () => {
    const inner = new AbortController();
    linkAbort(AbortSignal.abort('why'), inner);
    expect(inner.signal.reason).toBe('why');
  });
});

describe('untilAborted', () => {
  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('rejects at once when the signal aborts, before or during', async () => {
    const never = new Promise<never>(() => undefined);
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(untilAborted(never, controller.signal)).rejects.toThrow('stop');
  });
});

describe('untilAborted, when it does not wait for the work', () => {
  it.each(['before', 'during'])('leaves no unhandled rejection: aborted %s', async (when) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const controller = new AbortController();
    const stop = new Error('stop');
    let fail = (_error: Error): void => undefined;
    const work = new Promise<never>((_resolve, reject) => (fail = reject));
    if (when === 'before') controller.abort(stop);
    const waiting = untilAborted(work, controller.signal);
    controller.abort(stop);
    await expect(waiting).rejects.toBe(stop);
    fail(new Error('late'));
    // The runtime reports what nobody handled after the microtasks of a turn of the loop.
    await nextTurn();
    await nextTurn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('errorCode', () => {
  it.each([
    [Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
    [{ code: 5 }, undefined],
    [new Error('x'), undefined],
    [null, undefined],
    ['x', undefined],
  ])('of %p is %p', (error, code) => {
    expect(errorCode(error)).toBe(code);
  });
});

describe('createLogger', () => {
  const linesOf = (readable: boolean, level: 'info' | 'debug' = 'info') => {
    const lines: string[] = [];
    const redact = (line: string): string => line.replaceAll('sk-secret', '[REDACTED]');
    const destination = { write: (line: string) => void lines.push(line) };
    return { lines, logger: createLogger({ level, readable, redact, destination }) };
  };

  it('writes JSON lines with the fields of its parents, and no secret', () => {
    const { lines, logger } = linesOf(false);
    logger.child({ turnId: 't' }).info({ key: 'sk-secret' }, 'hello sk-secret');
    logger.debug({}, 'not at this level');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      turnId: 't',
      key: '[REDACTED]',
      msg: 'hello [REDACTED]',
    });
  });

  it('writes errors with their stack, redacted', () => {
    const { lines, logger } = linesOf(false);
    logger.error({ error: new Error('sk-secret is wrong') }, 'failed');
    expect(lines[0]).toContain('"stack"');
    expect(lines[0]).not.toContain('sk-secret');
  });

  it('writes readable lines for a person', () => {
    const { lines, logger } = linesOf(true);
    logger.info({ turnId: 't' }, 'hello');
    expect(lines[0]).toContain('hello');
    expect(lines[0]).toContain('turnId');
    expect(lines[0]).not.toMatch(/^\{/);
  });
});
