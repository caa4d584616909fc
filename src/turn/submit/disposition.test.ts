import { expect, it } from '@jest/globals';
import { describeDisposition, type Disposition } from './turn-submission.js';

it.each<[Disposition, string]>([
  [{ type: 'started' }, 'started'],
  [{ type: 'repeated' }, 'repeated'],
  [{ type: 'enqueued', position: 2 }, 'enqueued; position=2'],
  [{ type: 'interrupting', turnId: 'turn_1' }, 'interrupting; turn=turn_1'],
  [{ type: 'interrupting', turnId: undefined }, 'interrupting'],
  [{ type: 'steered', messageId: 'msg_1' }, 'steered; message=msg_1'],
])('the header of %j is %s', (disposition, text) => {
  expect(describeDisposition(disposition)).toBe(text);
  // A header takes no other characters.
  expect(() => new Headers({ 'x-turn-disposition': text })).not.toThrow();
});
