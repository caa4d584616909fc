import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

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

  it('writes of an error what it knows, not what others hung on it', () => {
    const { lines, logger } = linesOf(false);
    const cause = Object.assign(new Error('refused'), {
      code: 'ECONNREFUSED',
      request: { headers: { authorization: 'planted' } },
    });
    const error = Object.assign(new Error('Failed query: select $1\nparams: planted'), {
      cause,
      query: 'planted',
      params: ['planted'],
      detail: 'Key (name)=(planted)',
      body: { message: 'planted' },
    });
    logger.error({ error }, 'failed');
    expect(lines[0]).not.toContain('planted');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      error: {
        type: 'Error',
        message: 'Failed query: select $1',
        stack: expect.stringContaining('at '),
        cause: { type: 'Error', message: 'refused', code: 'ECONNREFUSED' },
      },
    });
  });

  it.each([
    [new AggregateError([new Error('one')], 'all'), { errors: [{ message: 'one' }] }],
    [
      { type: 'SDK_FAILURE', status: 529, body: 'planted', reason: { a: 'planted' } },
      {
        type: 'SDK_FAILURE',
        status: 529,
      },
    ],
    ['planted', 'string'],
  ])('writes of %p what it knows', (error, written) => {
    const { lines, logger } = linesOf(false);
    logger.error({ error }, 'failed');
    expect(lines[0]).not.toContain('planted');
    const shown = JSON.parse(lines[0] ?? '') as { error: unknown };
    if (typeof written === 'string') expect(shown.error).toBe(written);
    else expect(shown.error).toMatchObject(written);
  });

  it('writes readable lines for a person', () => {
    const { lines, logger } = linesOf(true);
    logger.info({ turnId: 't' }, 'hello');
    expect(lines[0]).toContain('hello');
    expect(lines[0]).toContain('turnId');
    expect(lines[0]).not.toMatch(/^\{/);
  });
});
