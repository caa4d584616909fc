import { describe, expect, it } from '@jest/globals';
import { parseTrace, toSpanContext, toTrace, traceIdOf } from './span-names.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('parseTrace', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
    [` 00-${TRACE}-${SPAN}-00 `, `00-${TRACE}-${SPAN}-00`],
    // A later version may have more: what is known of it is kept.
    [`01-${TRACE}-${SPAN}-01-more`, `00-${TRACE}-${SPAN}-01`],
  ])('takes %j', (traceparent, kept) => {
    expect(parseTrace(traceparent)).toEqual({ traceparent: kept });
  });

  it.each([
    undefined,
    '',
    'no trace',
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ])('refuses %j', (traceparent) => {
    expect(parseTrace(traceparent)).toBeUndefined();
  });

  it('keeps the state of vendors that is valid and not too long', () => {
    const traceparent = `00-${TRACE}-${SPAN}-01`;
    expect(parseTrace(traceparent, 'a=1,b=2')).toEqual({ traceparent, tracestate: 'a=1,b=2' });
    expect(parseTrace(traceparent, 'a=1,not valid')).toEqual({ traceparent, tracestate: 'a=1' });
    expect(parseTrace(traceparent, `a=${'1'.repeat(600)}`)).toEqual({ traceparent });
  });
});

it('gives back the ids that it stored', () => {
  const trace = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=1' };
  const context = toSpanContext(trace);
  expect(context).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
  expect(toTrace(context)).toEqual(trace);
  expect(traceIdOf(trace)).toBe(TRACE);
});
