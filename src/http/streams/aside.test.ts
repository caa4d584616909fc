import { describe, expect, it } from '@jest/globals';
import type { SessionOrigin } from '../../storage/shapes/stored-turn.js';
import { asideFrame } from './aside.js';

describe('the frame of an aside', () => {
  it.each<[SessionOrigin, string]>([
    ['harness', 'event: session:reauthenticate\ndata: {"reason":"ended"}'],
    ['ai-sdk', 'data: {"type":"data-reauthenticate","data":{"reason":"ended"},"transient":true}'],
    ['ag-ui', 'data: {"type":"CUSTOM","name":"session:reauthenticate","value":{"reason":"ended"}}'],
    ['named-agents', ': session:reauthenticate {"reason":"ended"}'],
    ['oracle', ': session:reauthenticate {"reason":"ended"}'],
    ['responses', ': session:reauthenticate {"reason":"ended"}'],
    ['mcp', ': session:reauthenticate {"reason":"ended"}'],
  ])('is one of its wire, without an id, on %s', (wire, frame) => {
    const aside = { name: 'session:reauthenticate', data: { reason: 'ended' } } as const;
    expect(asideFrame(wire, aside)).toBe(`${frame}\n\n`);
  });

  it.each<[SessionOrigin, string]>([
    ['harness', 'event: turn:stalled\ndata: '],
    ['ai-sdk', 'data: {"type":"data-stalled","data":'],
    ['ag-ui', 'data: {"type":"CUSTOM","name":"turn:stalled","value":'],
    ['oracle', ': turn:stalled '],
  ])('says on %s that a worker does not answer', (wire, begin) => {
    const data = { silentMs: 5_000, leaseUntil: '2026-01-01T00:00:30.000Z' };
    const frame = asideFrame(wire, { name: 'turn:stalled', data });
    expect(frame.startsWith(begin + JSON.stringify(data))).toBe(true);
    expect(frame).not.toContain('id: ');
  });
});
