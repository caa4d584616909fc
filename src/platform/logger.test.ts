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

  it('writes readable lines for a person', () => {
    const { lines, logger } = linesOf(true);
    logger.info({ turnId: 't' }, 'hello');
    expect(lines[0]).toContain('hello');
    expect(lines[0]).toContain('turnId');
    expect(lines[0]).not.toMatch(/^\{/);
  });
});
