import { describe, expect, it } from '@jest/globals';
import type { AskRule, PermissionRules } from '../../storage/shapes/stored-options.js';
import { coversQuorums, describeQuorums } from './approver-rules.js';
import { applyHook, decidePermission } from './decide-permission.js';
import type { AgentLayer } from './offer-tools.js';
import { validatePermissionRules } from './permission-rules.js';

const bash = { name: 'bash', effect: 'command' } as const;
const release = { by: ['release'], count: 2, notRequester: true };
const security = { by: ['security'], count: 1, notRequester: false };
const push: AskRule = { rule: 'bash(git push*)', ...release };

function decide(
  text: string,
  rules: { server?: PermissionRules; session?: PermissionRules; grants?: string[] },
  layers: AgentLayer[] = [{ mode: 'direct', named: ['bash'], agent: {} }],
) {
  const argument = { kind: 'command', texts: [text] } as const;
  return decidePermission({
    tool: bash,
    argument,
    layers,
    server: {},
    session: {},
    grants: [],
    ...rules,
  });
}

describe('a rule that says who decides', () => {
  it('says so in the decision, and before everything that allows the call', () => {
    const rules = { server: { ask: [push] }, session: { allow: ['bash'] }, grants: ['bash'] };
    expect(decide('git push origin', rules)).toEqual({
      verdict: 'ask',
      rule: 'asked-of-approvers',
      reason:
        "the server's policy leaves bash(git push*) to 2 people with the role release, other than who asks",
      awaits: [release],
    });
    expect(decide('git status', rules)).toMatchObject({ verdict: 'allow' });
    expect(decide('git status', rules)).not.toHaveProperty('awaits');
  });

  it('is about what a command does not show', () => {
    const decision = decide('git $(cat verb)', { server: { ask: [push] }, grants: ['bash'] });
    expect(decision).toMatchObject({ verdict: 'ask', awaits: [release] });
  });

  it('counts beside the others that match, of each source and agent, each once', () => {
    const other = { rule: 'bash', ...security };
    const agent = { ask: [other] };
    const layer = { mode: 'direct', named: ['bash'] };
    const decision = decide('git push', { server: { ask: [push, 'bash'] } }, [
      { ...layer, agent },
      { ...layer, agent },
    ]);
    expect(decision.awaits).toEqual([release, security]);
  });

  it('denies as ever, and asks nobody in mode dontAsk', () => {
    const server = { ask: [push], deny: ['bash(git push --force*)'] };
    expect(decide('git push --force', { server })).not.toHaveProperty('awaits');
    const asksNobody = [{ mode: 'dontAsk', named: ['bash'], agent: {} }];
    const denied = decide('git push', { server }, asksNobody);
    expect(denied).toMatchObject({ verdict: 'deny', rule: 'asks-nobody' });
    expect(denied).not.toHaveProperty('awaits');
  });

  it('stands where the tool hook asks too', () => {
    const rules = decide('git push', { server: { ask: [push] } });
    const call = { tool: 'bash', isSafe: false, asksNobody: false };
    const hook = { type: 'answered', decision: 'ask' } as const;
    expect(applyHook(rules, hook, call)).toMatchObject({ rule: 'hook-asks', awaits: [release] });
  });
});

describe('coversQuorums', () => {
  it.each([
    [[], [], true],
    [[release], [], true],
    [[release], [release], true],
    [[release, security], [release], true],
    [[], [release], false],
    [[release], [release, security], false],
    [[release], [{ ...release, count: 1 }], false],
    [[{ ...release, by: ['a', 'b'] }], [{ ...release, by: ['b', 'a'] }], true],
  ])('%j has all of %j: %j', (asked, wanted, isCovered) => {
    expect(coversQuorums(asked, wanted)).toBe(isCovered);
  });
});

describe('validatePermissionRules', () => {
  const check = (ask: unknown) => validatePermissionRules({ ask: [ask] }, [bash]);

  it('fills in the usual', () => {
    expect(check({ rule: 'bash', by: ['release', 'release'] }).value).toEqual({
      ask: [{ rule: 'bash', by: ['release'], count: 1, notRequester: false }],
    });
  });

  it.each<[unknown, string, RegExp]>([
    [{ rule: 'bash' }, 'ask.0.by', /is required/],
    [{ rule: 'bash', by: [] }, 'ask.0.by', /at least one role/],
    [{ rule: 'bash', by: ['a b'] }, 'ask.0.by.0', /1 to 64 letters/],
    [{ rule: 'bash', by: 'release' }, 'ask.0.by', /must be a list of roles/],
    [{ rule: 'bash', by: ['a'], count: 0 }, 'ask.0.count', /from 1 to 20/],
    [{ rule: 'bash', by: ['a'], count: 2.5 }, 'ask.0.count', /whole number/],
    [{ rule: 'bash', by: ['a'], notRequester: 1 }, 'ask.0.notRequester', /true or false/],
    [{ rule: 'bsah', by: ['a'] }, 'ask.0.rule', /does not exist/],
    [{ by: ['a'] }, 'ask.0.rule', /is required/],
    [{ rule: 'bash', by: ['a'], who: 'b' }, 'ask.0.who', /rule, by, count, notRequester/],
    [7, 'ask.0', /must be text/],
  ])('refuses %j', (rule, place, message) => {
    const faults = check(rule).faults ?? [];
    const found = faults.find(({ path }) => path.join('.') === place);
    expect([faults, found?.message]).toEqual([expect.anything(), expect.stringMatching(message)]);
  });

  it('takes no map in the other lists', () => {
    const rule = { rule: 'bash', by: ['release'] };
    expect(validatePermissionRules({ deny: [rule] }, [bash]).faults).toHaveLength(1);
    expect(validatePermissionRules({ allow: [rule] }, [bash]).faults).toHaveLength(1);
  });
});

describe('describeQuorums', () => {
  it('says who is awaited', () => {
    expect(describeQuorums([release, security])).toBe(
      '2 people with the role release, other than who asks, and a person with the role security',
    );
  });
});
