import { describe, expect, it } from '@jest/globals';
import { describeDisposition, type Disposition } from '../../turn/submit/turn-submission.js';
import { parseTurnDisposition } from './start-turn.js';

const all: Disposition[] = [
  { type: 'started' },
  { type: 'repeated' },
  { type: 'enqueued', position: 2 },
  { type: 'interrupting', turnId: 'turn_2' },
  { type: 'interrupting', turnId: undefined },
  { type: 'steered', messageId: 'msg_1' },
];

describe('parseTurnDisposition', () => {
  it.each(all)('reads what the server says of %j', (disposition) => {
    expect(parseTurnDisposition(describeDisposition(disposition))).toEqual(disposition);
  });

  it.each([null, '', 'something; new=1'])('takes %j for a turn that began', (header) => {
    expect(parseTurnDisposition(header)).toEqual({ type: 'started' });
  });
});
