import { Client } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AskingCalls, type Responder } from './asking-calls.js';

describe('AskingCalls', () => {
  const client = new Client({ name: 'test', version: '1' });
  const responder: Responder = { elicit: async () => ({ action: 'decline' }) };
  let calls: AskingCalls;
  beforeEach(() => {
    calls = new AskingCalls();
  });

  it('finds the only call, for as long as it runs', async () => {
    expect(() => calls.find(client, 'elicit')).toThrow('nobody can be asked now');
    const { signal } = await calls.run(client, responder, async () => {
      const found = calls.find(client, 'elicit');
      expect([calls.has(client), found.signal.aborted]).toEqual([true, false]);
      return found;
    });
    expect([calls.has(client), signal.aborted]).toEqual([false, true]);
    expect(() => calls.find(client, 'elicit')).toThrow('nobody can be asked now');
  });

  it('finds no call that does not answer', async () => {
    await calls.run(client, responder, async () => {
      expect(() => calls.find(client, 'sample')).toThrow(
        'the model is asked only while a tool of this server is called',
      );
    });
  });

  it('tells calls apart by their responses alone', async () => {
    const second: Responder = { elicit: async () => ({ action: 'accept' }) };
    let finish = (): void => undefined;
    const first = calls.run(client, responder, () => new Promise<void>((done) => (finish = done)));
    await calls.run(client, second, async () => {
      expect(calls.find(client, 'elicit').answer).toBe(second.elicit);
    });
    const waiting = calls.run(client, second, () => first);
    expect(() => calls.find(client, 'elicit')).toThrow('set perSession for this server');
    finish();
    await waiting;
  });
});
