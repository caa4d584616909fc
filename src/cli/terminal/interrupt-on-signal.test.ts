import { describe, expect, it } from '@jest/globals';
import { interruptOrLeave } from './interrupt-on-signal.js';

describe('a Ctrl-C', () => {
  it('ends the turn at first, and then leaves', () => {
    const done: string[] = [];
    const interrupt = async (): Promise<void> => void done.push('interrupt');
    const press = interruptOrLeave(interrupt, () => done.push('leave'));
    press();
    expect(done).toEqual(['interrupt']);
    press();
    expect(done).toEqual(['interrupt', 'leave']);
  });
});
