import { describe, expect, it } from '@jest/globals';
import { envelopeShape, type ErrorShape } from '../http/errors/error-shape.js';
import { ErrorShapes } from './harness-error.filter.js';

const shape = (name: string): ErrorShape => ({
  ...envelopeShape,
  write: ({ status, headers }) => ({ status, headers, body: { name } }),
});
const [agents, oracle] = [shape('agents'), shape('oracle')];

const shapes = new ErrorShapes([
  { patterns: ['/agents', '/agent/:name/chat', '/sessions/:session_id'], shape: agents },
  { patterns: ['/api/oracle', '/api/oracle/stream'], shape: oracle },
  { patterns: ['/api/oracle/open', '/:anything', '/'], shape: undefined },
]);

describe('the shape of an error', () => {
  it.each([
    ['/agent', agents],
    ['/agent/x/chat', agents],
    ['/Agents', agents],
    ['/sessions/', agents],
    ['/sessions/x/y', agents],
    ['/api/oracle/none', oracle],
    ['/API/oracle', oracle],
    ['/api/oracle/open/none', envelopeShape],
    ['/agentsx', envelopeShape],
    ['/api', envelopeShape],
    ['/health/agent', envelopeShape],
    ['/', envelopeShape],
  ])('is that of the nearest routes: %s', (path, expected) => {
    expect(shapes.of(path)).toBe(expected);
  });
});
