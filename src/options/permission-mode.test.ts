import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, beforeEach } from '@jest/globals';
import type { ModeBounds } from './option-rule.js';
import { boundMode, loadPermissions } from './permission-mode.js';
import { newFolder } from '../../test/support/suite.js';

const free: ModeBounds = { ceiling: 'acceptEdits', mayApprove: true, inherited: 'direct' };
const bound = (
  value: string,
  bounds: Partial<ModeBounds> = {},
  from: 'opts' | 'session' = 'opts',
) => boundMode({ value, from }, { ...free, ...bounds });

describe('boundMode', () => {
  it.each([
    ['direct', 'direct'],
    ['PLAN', 'plan'],
    ['dontask', 'dontAsk'],
    [' AcceptEdits ', 'acceptEdits'],
  ])('takes %j for %s, without a word', (given, mode) => {
    expect(bound(given)).toEqual({ mode, problems: [] });
  });

  it.each(['yolo', 'thread', 'plan!', 'accept-edits', 'bypassPermissions', ''])(
    'takes %j for plan, with a problem',
    (given) => {
      expect(bound(given, {}, 'session')).toEqual({
        mode: 'plan',
        problems: [
          {
            kind: 'held-mode',
            key: 'mode',
            given,
            using: 'plan',
            from: 'session',
            reason: 'is no mode; there is acceptEdits, direct, dontAsk, plan',
          },
        ],
      });
    },
  );

  it.each([
    ['plan', 'acceptEdits', 'plan'],
    ['dontAsk', 'direct', 'dontAsk'],
    ['direct', 'acceptEdits', 'direct'],
    ['direct', 'dontAsk', 'dontAsk'],
    ['direct', 'plan', 'plan'],
  ] as const)('the ceiling %s bounds %s to %s', (ceiling, given, mode) => {
    const bounded = bound(given, { ceiling });
    expect([bounded.mode, bounded.problems.length]).toEqual([mode, mode === given ? 0 : 1]);
  });

  it('lets nobody who may not approve say that nobody is asked', () => {
    const mine = { mayApprove: false };
    const bounded = bound('acceptEdits', mine);
    expect(bounded).toMatchObject({
      mode: 'direct',
      problems: [{ reason: 'needs a key with the scope approvals' }],
    });
    expect(bound('acceptEdits', { ...mine, ceiling: 'plan' }).mode).toBe('plan');
    for (const mode of ['direct', 'dontAsk', 'plan'] as const) {
      expect(bound(mode, mine)).toEqual({ mode, problems: [] });
    }
  });

  it('leaves what somebody else has loosened', () => {
    const mine = { mayApprove: false, inherited: 'acceptEdits' };
    expect(bound('acceptEdits', mine, 'session').mode).toBe('acceptEdits');
    expect(bound('acceptEdits', mine).mode).toBe('acceptEdits');
  });
});

const tools = [
  { name: 'read', permissionArgument: { name: 'file_path', kind: 'path' } },
  { name: 'bash', permissionArgument: { name: 'command', kind: 'command' } },
] as const;

describe('loadPermissions', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = newFolder();
    file = path.join(folder, 'policy.yaml');
  });

  async function load(...lines: string[]) {
    await writeFile(file, lines.join('\n'));
    return loadPermissions(file, tools);
  }

  it('has no rules without a file, and from an empty one', async () => {
    expect(await loadPermissions(undefined, tools)).toEqual({});
    expect(await load('# nothing yet')).toEqual({});
  });

  it('reads YAML and JSON', async () => {
    const rules = { allow: ['bash(git status*)', 'read'], deny: ['read(**/.env)'] };
    const yaml = ['allow: [bash(git status*), read]', 'deny:', '  - read(**/.env)'];
    expect(await load(...yaml)).toEqual(rules);
    expect(await load(JSON.stringify(rules))).toEqual(rules);
  });

  it('names every fault by its line, and what to do', async () => {
    const lines = ['allow:', '  - read', '  - sing', 'denied: [bash]', 'deny: bash'];
    await expect(load(...lines)).rejects.toMatchObject({
      name: 'FileInvalidError',
      message: [
        'TURNPIKE_PERMISSIONS_FILE is not valid:',
        `  - ${file}:3: allow.1 names the tool "sing", which does not exist; there is read, bash`,
        `  - ${file}:4: denied is not a field; use allow, ask, deny`,
        `  - ${file}:5: deny must be a list of rules, for example ["read"], not "bash"`,
        'Correct the file, and start again.',
      ].join('\n'),
    });
  });

  it.each([
    ['no YAML', ['allow: [read', 'x: 1'], /policy\.yaml:2: the file cannot be parsed: /],
    ['a list', ['- read'], /policy\.yaml:1: the file must be a map of allow, ask and deny/],
    ['an alias without an anchor', ['allow: *any'], /policy\.yaml:1: /],
  ])('refuses %s', async (_name, lines, message) => {
    await expect(load(...lines)).rejects.toThrow(message);
  });

  it('says that the file cannot be read', async () => {
    await expect(loadPermissions(path.join(folder, 'none.yaml'), tools)).rejects.toThrow(
      /none\.yaml: the file cannot be read \(ENOENT\); check its path and permissions/,
    );
  });
});
