import { describe, expect, it } from '@jest/globals';
import { checkDeliveries } from '../../chaos/check/check-deliveries.mjs';

const ended = [{ turnId: 'turn_1', outcome: 'completed' }];
const end = { id: 'evt_2', type: 'turn.ended', turnId: 'turn_1', status: 'delivered' };
const started = { id: 'evt_1', type: 'turn.started', turnId: 'turn_1', status: 'delivered' };
const delivered = { ...end, outcome: 'completed' };
const deliveries = [{ ...started, outcome: undefined }, delivered];
const taken = {
  type: 'turn.ended',
  turnId: 'turn_1',
  outcome: 'completed',
  isSigned: true,
  taken: 1,
};
const received = { evt_1: taken, evt_2: { ...taken, taken: 2 } };

describe('the checker of deliveries', () => {
  it.each([
    ['all is told', {}, {}, []],
    [
      'an end is not told',
      { deliveries: deliveries.slice(0, 1) },
      { evt_2: undefined },
      ['end-untold'],
    ],
    [
      'an end is told twice',
      { deliveries: [...deliveries, { ...end, id: 'evt_3', outcome: 'completed' }] },
      { evt_3: taken },
      ['two-ends'],
    ],
    [
      'another end is told',
      { ended: [{ turnId: 'turn_1', outcome: 'failed' }] },
      {},
      ['end-differs'],
    ],
    ['one never came', {}, { evt_2: undefined }, ['delivery-lost']],
    ['one was refused alone', {}, { evt_2: { ...taken, taken: 0 } }, ['delivery-lost']],
    [
      'one came, and nobody knows',
      { deliveries: [...deliveries.slice(0, 1), { ...delivered, status: 'pending' }] },
      {},
      ['delivery-lost'],
    ],
    ['one is not of the outbox', {}, { evt_9: taken }, ['delivery-forged']],
    ['one is not signed', {}, { evt_2: { ...taken, isSigned: false } }, ['delivery-forged']],
  ])('%s', (_name, outbox, came, kinds) => {
    const all = Object.entries({ ...received, ...came }).flatMap(([id, one]) =>
      one === undefined ? [] : [[id, one] as const],
    );
    const found = checkDeliveries({ ended, deliveries, ...outbox }, new Map(all));
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });
});
