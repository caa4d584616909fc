import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../platform/logger.js';
import { TypedError } from '../platform/typed-error.js';
import { ProblemReporter } from './problem-reporter.js';

const secret = new Error('select key from secrets');
const down = new Error('connect ECONNREFUSED 10.0.0.7');
const request = { method: 'POST', path: '/agent/READER/chat', isAbandoned: false };

describe('ProblemReporter', () => {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'debug',
    readable: false,
    redact: (line) => line,
    destination: { write: (line) => void lines.push(line) },
  });
  const reporter = new ProblemReporter(logger, (error) => error === down);
  beforeEach(() => void (lines.length = 0));

  const levels = (): unknown[] =>
    lines.map((line) => (JSON.parse(line) as { level: unknown }).level);

  it('tells a client what is meant for it', () => {
    const error = new TypedError('QUEUE_FULL', { status: 429, message: 'Later' });
    const { status, body } = reporter.report(error, request);
    expect([status, body.detail, body.instance]).toEqual([429, 'Later', request.path]);
    expect(levels()).toEqual(['debug']);
  });

  it('masks anything else, and logs it under an id that the client is told', () => {
    const { status, body } = reporter.report(secret, request);
    expect([status, body.type]).toEqual([500, 'https://turnpike.dev/docs/errors/sdk-failure']);
    expect(JSON.stringify(body)).not.toContain('secrets');
    const [id = '-'] = /[0-9a-f-]{36}/.exec(body.detail) ?? [];
    expect(lines).toEqual([expect.stringContaining(id)]);
    expect(lines[0]).toContain('select key from secrets');
    expect(levels()).toEqual(['error']);
  });

  it('says that the database is down, and not where it is', () => {
    const { status, headers, body } = reporter.report(down, request);
    expect([status, headers['Retry-After']]).toEqual([503, '5']);
    expect(body.type).toMatch(/storage-unavailable$/);
    expect(JSON.stringify(body)).not.toContain('10.0.0.7');
    expect(levels()).toEqual(['debug']);
  });

  it('makes no fault of a client that has left', () => {
    reporter.report(secret, { ...request, isAbandoned: true });
    expect(levels()).toEqual(['debug']);
  });
});
