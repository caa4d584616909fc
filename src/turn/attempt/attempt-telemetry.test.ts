import { expect, it } from '@jest/globals';
import { originOf } from './attempt-telemetry.js';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const last = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const row = { traceparent, tracestate: null, lastTraceparent: null, attempt: 1 };

it.each([
  [row, { parent: { traceparent }, links: [] }],
  [
    { ...row, tracestate: 'a=1' },
    { parent: { traceparent, tracestate: 'a=1' }, links: [] },
  ],
  [
    { ...row, traceparent: null },
    { parent: 'none', links: [] },
  ],
  // A process that died before it had stored the ids of its attempt.
  [
    { ...row, attempt: 2 },
    { parent: 'none', links: [{ traceparent }] },
  ],
  [
    { ...row, attempt: 3, lastTraceparent: last },
    { parent: 'none', links: [{ traceparent }, { traceparent: last }] },
  ],
  [
    { ...row, attempt: 2, traceparent: null, lastTraceparent: last },
    { parent: 'none', links: [{ traceparent: last }] },
  ],
])('places the spans of %j', (claimed, origin) => {
  expect(originOf(claimed)).toEqual(origin);
});
