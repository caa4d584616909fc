import { describe, expect, it } from '@jest/globals';
import { Answers } from './answers.js';

const asked = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} }) as const;

describe('Answers', () => {
  it('knows a request until its answer comes', () => {
    const answers = new Answers();
    answers.asked(asked(1));
    expect(answers.isAwaited(1)).toBe(true);
    answers.wrap({ jsonrpc: '2.0', id: 1, result: { content: [] } });
    expect(answers.isAwaited(1)).toBe(false);
  });

  it('keeps nothing of a call that was cancelled, and passes on its late answer', () => {
    const answers = new Answers();
    const method = 'notifications/cancelled';
    answers.asked(asked(1));
    answers.asked(asked(2));
    answers.asked({ jsonrpc: '2.0', method, params: { requestId: 1, reason: 'Too late' } });
    expect([answers.isAwaited(1), answers.isAwaited(2)]).toEqual([false, true]);
    const late = { jsonrpc: '2.0', id: 1, result: { content: [] } } as const;
    expect(answers.wrap(late)).toBe(late);
  });
});
