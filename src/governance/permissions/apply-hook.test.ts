import { describe, expect, it } from '@jest/globals';
import {
  applyHook,
  type HookedCall,
  type HookOutcome,
  type PermissionDecision,
} from './decide-permission.js';

const allowed: PermissionDecision = { verdict: 'allow', rule: 'reads-run', reason: 'it reads' };
const asked: PermissionDecision = { verdict: 'ask', rule: 'ask', reason: 'it writes' };
const call: HookedCall = { tool: 'write', isSafe: false, asksNobody: false };
const said = (decision: 'allow' | 'ask' | 'deny', reason?: string): HookOutcome => ({
  type: 'answered',
  decision,
  ...(reason === undefined ? {} : { reason }),
});
const failed: HookOutcome = { type: 'failed', reason: 'answered 500 instead of 200' };

describe('applyHook', () => {
  it.each<[string, PermissionDecision, HookOutcome, Partial<HookedCall>, string, string]>([
    ['allow leaves an allowed call', allowed, said('allow'), {}, 'allow', 'reads-run'],
    ['allow answers no question of the rules', asked, said('allow'), {}, 'ask', 'ask'],
    ['ask makes a question', allowed, said('ask'), {}, 'ask', 'hook-asks'],
    ['ask keeps a question', asked, said('ask'), {}, 'ask', 'hook-asks'],
    [
      'ask is a denial where nobody is asked',
      allowed,
      said('ask'),
      { asksNobody: true },
      'deny',
      'hook-asks-nobody',
    ],
    ['deny denies what rules allow', allowed, said('deny'), {}, 'deny', 'hook-denied'],
    ['deny denies what rules ask', asked, said('deny'), { isSafe: true }, 'deny', 'hook-denied'],
    ['no answer denies a call with effects', allowed, failed, {}, 'deny', 'hook-failed'],
    ['no answer leaves a safe call', allowed, failed, { isSafe: true }, 'allow', 'reads-run'],
    [
      'no answer leaves the question about a safe call',
      asked,
      failed,
      { isSafe: true },
      'ask',
      'ask',
    ],
  ])('%s', (_what, rules, hook, more, verdict, rule) => {
    expect(applyHook(rules, hook, { ...call, ...more })).toMatchObject({ verdict, rule });
  });

  it('says why, to the model and to people', () => {
    expect(applyHook(allowed, said('deny', 'not on Fridays'), call).reason).toBe(
      'permission denied: the tool hook of this server denies the call: not on Fridays',
    );
    expect(applyHook(allowed, said('ask', 'large file'), call).reason).toBe(
      'the tool hook asks before write: large file',
    );
    expect(applyHook(allowed, failed, call).reason).toContain('answered 500 instead of 200');
  });
});
