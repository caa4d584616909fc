import { describe, expect, it } from '@jest/globals';
import { MessageQueue } from './message-queue.js';

describe('a queue of messages', () => {
  it('gives its reader what came before and what comes, in order, to the end', async () => {
    const queue = new MessageQueue<number>();
    queue.push(1);
    const read: number[] = [];
    const reading = (async () => {
      for await (const item of queue.read()) read.push(item);
    })();
    queue.push(2);
    await Promise.resolve();
    queue.push(3);
    queue.end();
    queue.fail(new Error('too late'));
    await reading;
    expect(read).toEqual([1, 2, 3]);
  });

  it('throws after what came before', async () => {
    const queue = new MessageQueue<number>();
    queue.push(1);
    queue.fail(new Error('broken'));
    const messages = queue.read();
    expect(await messages.next()).toEqual({ done: false, value: 1 });
    await expect(messages.next()).rejects.toThrow('broken');
  });
});
