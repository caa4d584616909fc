import { describe, expect, it } from '@jest/globals';
import { decidePermission, permissionTable, type PermissionQuestion } from './decide-permission.js';

const tools = {
  read: { name: 'read', effect: 'read' },
  edit: { name: 'write', effect: 'edit' },
  command: { name: 'bash', effect: 'command' },
} as const;

function decide(
  effect: keyof typeof tools,
  rest: Partial<Omit<PermissionQuestion, 'tool'>> = {},
): ReturnType<typeof decidePermission> {
  return decidePermission({
    tool: tools[effect],
    mode: 'direct',
    autoApprove: [],
    disallowed: [],
    namedByTurn: true,
    ...rest,
  });
}

const modes = ['direct', 'acceptEdits', 'dontAsk', 'plan', 'anything', ''];
const effects = ['read', 'edit', 'command'] as const;

describe('decidePermission', () => {
  // Mode; then read, edit, command as they are; then the same pre-approved.
  it.each([
    ['direct', 'allow ask ask', 'allow allow allow'],
    ['acceptEdits', 'allow allow ask', 'allow allow allow'],
    ['dontAsk', 'allow deny deny', 'allow allow allow'],
    ['plan', 'allow deny deny', 'allow deny deny'],
    ['anything', 'allow ask ask', 'allow allow allow'],
    ['PLAN', 'allow ask ask', 'allow allow allow'],
    ['', 'allow ask ask', 'allow allow allow'],
  ])('mode %j', (mode, plain, preApproved) => {
    const autoApprove = ['read', 'write', 'bash'];
    expect(effects.map((effect) => decide(effect, { mode }).verdict).join(' ')).toBe(plain);
    expect(effects.map((effect) => decide(effect, { mode, autoApprove }).verdict).join(' ')).toBe(
      preApproved,
    );
  });

  it.each(
    modes.flatMap((mode) => effects.map((effect): [string, typeof effect] => [mode, effect])),
  )('denies in mode %j a disallowed %s, also when it is pre-approved', (mode, effect) => {
    const names = [tools[effect].name];
    expect(decide(effect, { mode, disallowed: names, autoApprove: names })).toMatchObject({
      verdict: 'deny',
      rule: 'disallowed',
    });
  });

  it.each(modes)(
    'denies in mode %j a command the turn does not name, also pre-approved',
    (mode) => {
      const asked = { mode, namedByTurn: false, autoApprove: ['bash', 'write', 'read'] };
      expect(decide('command', asked)).toMatchObject({
        verdict: 'deny',
        rule: 'command-not-named',
      });
      expect(decide('read', asked).verdict).toBe('allow');
    },
  );

  it('compares names exactly', () => {
    expect(decide('edit', { autoApprove: ['Write', 'writ', 'write '] }).verdict).toBe('ask');
    expect(decide('read', { disallowed: ['Read', 'rea'] }).verdict).toBe('allow');
  });

  it.each([
    ['disallowed', decide('read', { disallowed: ['read'] }), 'disallowed_tools'],
    ['command-not-named', decide('command', { namedByTurn: false }), 'List bash in opts.tools'],
    ['plan-is-read-only', decide('edit', { mode: 'plan' }), 'Send the turn in another mode'],
    [
      'asks-nobody',
      decide('edit', { mode: 'dontAsk' }),
      'Use mode acceptEdits, or list write under',
    ],
    ['asks-nobody', decide('command', { mode: 'dontAsk' }), 'List bash under auto_approve_tools'],
  ])('a denial by %s says what would allow the call', (rule, decision, advice) => {
    expect(decision).toMatchObject({ verdict: 'deny', rule });
    expect(decision.reason).toMatch(/^permission denied: /);
    expect(decision.reason).toContain(advice);
  });

  it('advises acceptEdits for edits only', () => {
    expect(decide('command', { mode: 'dontAsk' }).reason).not.toContain('acceptEdits');
  });
});

describe('permissionTable', () => {
  it('lists each rule once, in the order they are tried, and ends in one that always applies', () => {
    const table = permissionTable();
    expect(table.map(({ rule, verdict }) => `${rule}: ${verdict}`)).toEqual([
      'disallowed: deny',
      'command-not-named: deny',
      'plan-is-read-only: deny',
      'auto-approved: allow',
      'reads-run: allow',
      'edits-accepted: allow',
      'asks-nobody: deny',
      'ask: ask',
    ]);
    expect(table.at(-1)?.when).toBe('otherwise');
  });
});
