import { describe, expect, it } from '@jest/globals';
import type { PermissionArgument } from '../permission-subject.js';
import type { PermissionRules } from '../../storage/shapes/stored-options.js';
import {
  decidePermission,
  permissionTable,
  applyHook,
  type HookedCall,
  type HookOutcome,
  type PermissionDecision,
} from './decide-permission.js';
import type { AgentLayer, PermissionQuestion } from './offer-tools.js';

const tools = {
  read: { name: 'read', effect: 'read' },
  edit: { name: 'write', effect: 'edit' },
  command: { name: 'bash', effect: 'command' },
} as const;

type Effect = keyof typeof tools;
type Rest = Partial<Omit<PermissionQuestion, 'tool' | 'layers'>> & Partial<AgentLayer>;

const path = (file: string): PermissionArgument => ({
  kind: 'path',
  texts: [`/p/${file}`],
  roots: ['/p'],
});
const command = (text: string): PermissionArgument => ({ kind: 'command', texts: [text] });
const usual = { read: path('docs/a.md'), edit: path('docs/a.md'), command: command('git status') };

function decide(effect: Effect, { mode, named, agent, name, ...rest }: Rest = {}) {
  const layer = { mode: mode ?? 'direct', named: named ?? ['bash'], agent: agent ?? {} };
  return decidePermission({
    tool: tools[effect],
    argument: usual[effect],
    layers: [name === undefined ? layer : { ...layer, name }],
    server: {},
    session: {},
    grants: [],
    ...rest,
  });
}

const modes = ['direct', 'acceptEdits', 'dontAsk', 'plan', 'anything', ''];
const effects = ['read', 'edit', 'command'] as const;
/** Equal rules from each source of rules. */
const sources: [string, (rules: PermissionRules) => Rest][] = [
  ["the server's policy", (server) => ({ server })],
  ['the agent', (agent) => ({ agent })],
  ['the session', (session) => ({ session })],
];
const inEachMode = modes.flatMap((mode) =>
  effects.map((effect): [string, Effect] => [mode, effect]),
);

describe('decidePermission', () => {
  it('says with the question about a command that rules about files do not hold it', () => {
    const reasonOf = (deny: string[]) => decide('command', { session: { deny } }).reason;
    expect(reasonOf(['read(**/.env)'])).toBe(
      'bash needs an approval in mode direct; the rule read(**/.env) does not hold for commands',
    );
    expect(reasonOf(['bash(rm *)'])).toBe('bash needs an approval in mode direct');
    expect(decide('edit', { session: { deny: ['read(**/.env)'] } }).reason).toBe(
      'write needs an approval in mode direct',
    );
  });

  // Mode; then the verdicts for read, edit and command: without a rule; with an `allow` rule; with
  // an `ask` rule.
  it.each([
    ['direct', 'allow ask ask', 'allow allow allow', 'ask ask ask'],
    ['acceptEdits', 'allow allow ask', 'allow allow allow', 'ask ask ask'],
    ['dontAsk', 'allow deny deny', 'allow allow allow', 'deny deny deny'],
    ['plan', 'allow deny deny', 'allow deny deny', 'ask deny deny'],
    ['anything', 'allow ask ask', 'allow allow allow', 'ask ask ask'],
    ['PLAN', 'allow ask ask', 'allow allow allow', 'ask ask ask'],
    ['', 'allow ask ask', 'allow allow allow', 'ask ask ask'],
  ])('mode %j', (mode, plain, allowed, asked) => {
    const verdicts = (rest: Rest): string =>
      effects.map((effect) => decide(effect, { mode, ...rest }).verdict).join(' ');
    expect(verdicts({})).toBe(plain);
    for (const [, by] of sources) {
      expect(verdicts(by({ allow: ['*'] }))).toBe(allowed);
      expect(verdicts(by({ ask: ['*'], allow: ['*'] }))).toBe(asked);
    }
    expect(verdicts({ grants: ['*'] })).toBe(allowed);
  });

  it.each(inEachMode)('denies in mode %j a denied %s, whatever allows it', (mode, effect) => {
    const all = ['*', tools[effect].name];
    for (const [whose, by] of sources) {
      const rest = by({ deny: [tools[effect].name], allow: all });
      expect(decide(effect, { mode, grants: all, ...rest })).toEqual({
        verdict: 'deny',
        rule: 'denied',
        reason: `permission denied: ${whose} denies ${tools[effect].name}.`,
      });
    }
  });

  it.each(modes)('denies in mode %j a command that is neither named nor allowed', (mode) => {
    const rest = { mode, named: ['read', 'Bash'] };
    expect(decide('command', rest)).toMatchObject({ verdict: 'deny', rule: 'command-not-named' });
    for (const [, by] of sources) {
      const uncovered = by({ allow: ['bash(git push*)'], ask: ['bash'] });
      expect(decide('command', { ...rest, ...uncovered }).rule).toBe('command-not-named');
      const covered = by({ allow: ['bash(git s*)'] });
      expect(decide('command', { ...rest, ...covered }).rule).not.toBe('command-not-named');
    }
    expect(decide('read', rest).verdict).toBe('allow');
  });

  it('lets a session’s approval go before a rule that asks, and after one that denies', () => {
    const ask = { ask: ['bash(git *)'] };
    expect(decide('command', { server: ask, grants: ['bash(git status)'] })).toMatchObject({
      verdict: 'allow',
      rule: 'approved-for-session',
    });
    expect(decide('command', { server: ask, grants: ['bash(git push)'] }).verdict).toBe('ask');
    const deny = { deny: ['bash(git *)'] };
    expect(decide('command', { server: deny, grants: ['bash'] }).verdict).toBe('deny');
    expect(decide('command', { mode: 'plan', grants: ['bash'] }).verdict).toBe('deny');
  });

  it('denies what shows contents where reading is denied, and asks about it by its own name', () => {
    const grep = (server: PermissionRules, path = '/work/.env') =>
      decidePermission({
        tool: { name: 'grep', effect: 'read', deniedWith: ['read'] },
        argument: { kind: 'path', texts: [path], roots: ['/work'] },
        layers: [{ mode: 'direct', named: [], agent: {} }],
        server,
        session: {},
        grants: [],
      }).verdict;
    expect(grep({ deny: ['read'] })).toBe('deny');
    expect(grep({ deny: ['read(**/.env)'] })).toBe('deny');
    expect(grep({ deny: ['read(**/.env)'] }, '/work/a')).toBe('allow');
    expect(grep({ deny: ['write(**/.env)'] })).toBe('allow');
    expect(grep({ ask: ['read'] })).toBe('allow');
    expect(grep({ ask: ['grep'] })).toBe('ask');
  });

  it('compares names exactly', () => {
    expect(decide('edit', { agent: { allow: ['Write', 'writ', 'writer'] } }).verdict).toBe('ask');
    expect(decide('read', { agent: { deny: ['Read', 'rea'] } }).verdict).toBe('allow');
  });

  it.each([
    ['denied', decide('read', { server: { deny: ['read'] } }), "the server's policy denies read."],
    ['command-not-named', decide('command', { named: [] }), 'List bash in opts.tools'],
    ['plan-is-read-only', decide('edit', { mode: 'plan' }), 'Send the turn in another mode'],
    ['asks-nobody', decide('edit', { mode: 'dontAsk' }), 'Use mode acceptEdits, or allow write in'],
    ['asks-nobody', decide('command', { mode: 'dontAsk' }), 'Allow bash in the permissions of'],
    [
      'asks-nobody',
      decide('read', { mode: 'dontAsk', session: { ask: ['read(docs/**)'] } }),
      'the session asks before read(docs/**), and mode dontAsk asks nobody. Send the turn in',
    ],
  ])('a denial by %s advises how to allow the call', (rule, decision, advice) => {
    expect(decision).toMatchObject({ verdict: 'deny', rule });
    expect(decision.reason).toMatch(/^permission denied: /);
    expect(decision.reason).toContain(advice);
  });

  it('says whose rules allow, ask and were approved', () => {
    const reason = (rest: Rest): string => decide('command', rest).reason;
    expect(reason({ agent: { allow: ['bash(git *)'] }, name: 'EDITOR' })).toBe(
      'the agent EDITOR allows bash(git *)',
    );
    expect(reason({ session: { ask: ['bash'] } })).toBe('the session asks before bash');
    expect(reason({ grants: ['bash'] })).toBe('a person approved bash for the session');
  });

  it('advises acceptEdits for edits only', () => {
    expect(decide('command', { mode: 'dontAsk' }).reason).not.toContain('acceptEdits');
  });

  it('is asked of somebody', () => {
    const question = { tool: tools.read, server: {}, session: {}, grants: [], layers: [] };
    expect(() => decidePermission(question)).toThrow('for no agent');
  });
});

describe('a rule with a pattern', () => {
  it.each([
    ['write(docs/**)', 'docs/a.md', 'allow'],
    ['write(docs/**)', 'src/a.ts', 'ask'],
    ['wr*', 'src/a.ts', 'allow'],
    ['edit(docs/**)', 'docs/a.md', 'ask'],
    ['write(/p/docs/**)', 'docs/a.md', 'allow'],
  ])('%s about %s: %s', (rule, file, verdict) => {
    expect(decide('edit', { argument: path(file), agent: { allow: [rule] } }).verdict).toBe(
      verdict,
    );
  });

  it('about a path denies when either of its spellings fits, and allows when all do', () => {
    const linked = {
      kind: 'path',
      texts: ['/p/docs/key', '/p/private/key'],
      roots: ['/p'],
    } as const;
    const by = (agent: PermissionRules): string =>
      decide('edit', { argument: linked, agent }).verdict;
    expect(by({ deny: ['write(private/**)'] })).toBe('deny');
    expect(by({ deny: ['write(docs/**)'] })).toBe('deny');
    expect(by({ allow: ['write(docs/**)'] })).toBe('ask');
    expect(by({ allow: ['write(docs/**)', 'write(private/*)'] })).toBe('allow');
  });

  it.each([
    ['git status', 'allow'],
    ['git status --short', 'allow'],
    ['git status && git log', 'allow'],
    ['git status | wc -l', 'ask'],
    ['git status && git push', 'deny'],
    ['sudo git push', 'deny'],
    [`bash -c 'git push'`, 'deny'],
    ['git status; id', 'ask'],
    ['git status > /etc/passwd', 'ask'],
    ['git status $(id)', 'ask'],
    ['git status\nid', 'ask'],
    ['git status & id', 'ask'],
    ['id', 'ask'],
    ['git log "; git push"', 'allow'],
  ])('about commands: %j is %s', (text, verdict) => {
    const agent = {
      allow: ['bash(git status*)', 'bash(git log*)'],
      deny: ['bash(git push*)'],
    };
    expect(decide('command', { argument: command(text), agent }).verdict).toBe(verdict);
  });

  it('is completed by other rules only from sources that may allow', () => {
    const argument = command('git status && npm test');
    const rest = { argument, server: { allow: ['bash(git status)'] } };
    expect(decide('command', { ...rest, session: { allow: ['bash(npm *)'] } })).toMatchObject({
      verdict: 'allow',
      reason: "the server's policy and the session allows bash(git status), bash(npm *)",
    });
    expect(decide('command', { ...rest, grants: ['bash(npm test)'] }).verdict).toBe('allow');
    expect(decide('command', rest).verdict).toBe('ask');
  });

  it('allows any command where it is the bare tool, or the command letter for letter', () => {
    const argument = command('a > b; $(c)');
    expect(decide('command', { argument, agent: { allow: ['bash'] } }).verdict).toBe('allow');
    expect(decide('command', { argument, agent: { allow: ['bash(*)'] } }).verdict).toBe('ask');
    expect(decide('command', { argument, agent: { allow: ['bash(a > b; $(c))'] } }).verdict).toBe(
      'allow',
    );
  });

  it('forbids and never allows what it cannot compare', () => {
    const argument = undefined;
    expect(decide('edit', { argument, agent: { deny: ['write(x)'] } }).verdict).toBe('deny');
    expect(decide('edit', { argument, agent: { allow: ['write(**)'] } }).verdict).toBe('ask');
    const entangled = command(`${'eval '.repeat(100)}id`);
    expect(
      decide('command', { argument: entangled, agent: { deny: ['bash(rm *)'] } }).verdict,
    ).toBe('deny');
    expect(decide('read', { agent: { deny: ['no rule ('] } }).verdict).toBe('deny');
    expect(decide('edit', { agent: { allow: ['no rule ('] } }).verdict).toBe('ask');
  });

  it('has nothing to say where the call has no argument', () => {
    const argument = { kind: 'command', texts: [] } as const;
    const rules = { deny: ['bash(rm *)'], allow: ['bash(*)'] };
    expect(decide('command', { argument, agent: rules }).verdict).toBe('ask');
  });
});

describe('layers', () => {
  const ask = (layers: AgentLayer[]) =>
    decidePermission({
      tool: tools.edit,
      argument: usual.edit,
      layers,
      server: {},
      session: {},
      grants: [],
    });
  const layer = (mode: string, agent: PermissionRules = {}, name?: string): AgentLayer => ({
    mode,
    named: [],
    agent,
    ...(name === undefined ? {} : { name }),
  });

  it.each([
    ['allow and allow', [layer('acceptEdits'), layer('direct', { allow: ['write'] })], 'allow'],
    ['allow and ask', [layer('acceptEdits'), layer('direct')], 'ask'],
    ['ask and allow', [layer('direct'), layer('acceptEdits')], 'ask'],
    ['ask and deny', [layer('direct'), layer('plan')], 'deny'],
    ['deny and allow', [layer('plan'), layer('acceptEdits')], 'deny'],
  ])('the strictest decides: %s', (_name, layers, verdict) => {
    expect(ask(layers).verdict).toBe(verdict);
  });

  it('the reason says whose rule it was', () => {
    const deny = { deny: ['write'] };
    expect(ask([layer('direct', deny, 'LEAD'), layer('direct', {}, 'HAND')]).reason).toBe(
      'permission denied: the agent LEAD denies write.',
    );
    expect(ask([layer('direct', deny), layer('direct')]).reason).toContain('an agent above this');
    expect(ask([layer('direct'), layer('direct', deny)]).reason).toContain('the agent denies');
  });
});

describe('permissionTable', () => {
  it('lists each rule once, in the order they are tried', () => {
    const table = permissionTable();
    expect(table.map(({ rule, verdict }) => `${rule}: ${verdict}`)).toEqual([
      'denied: deny',
      'outside-of-skill: deny',
      'command-not-named: deny',
      'plan-is-read-only: deny',
      'asked-of-approvers: ask',
      'approved-for-session: allow',
      'asked-by-rule: ask',
      'may-be-denied: ask',
      'allowed: allow',
      'reads-run: allow',
      'edits-accepted: allow',
      'ask: ask',
      'asks-nobody: deny',
    ]);
  });
});

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
    [
      'no answer denies it in dontAsk too',
      allowed,
      failed,
      { asksNobody: true },
      'deny',
      'hook-failed',
    ],
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
