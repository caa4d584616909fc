import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { PermissionArgument } from '../permission-subject.js';
import { decidePermission, type Verdict } from './decide-permission.js';
import type { AgentLayer, PermissionQuestion } from './offer-tools.js';

const strictness: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };
const strictnessOf = (question: PermissionQuestion): number =>
  strictness[decidePermission(question).verdict];

const rule = fc.constantFrom(
  ...'*|read|write|bash|w*|mcp__a__*|broken('.split('|'),
  ...'bash(git *)|bash(rm *)|bash(*)|bash(git push)'.split('|'),
  ...'write(docs/**)|write(/etc/**)|read(**)|read(**/.env)'.split('|'),
);
const rules = fc.record(
  { allow: fc.array(rule), ask: fc.array(rule), deny: fc.array(rule) },
  { requiredKeys: [] },
);
const layer: fc.Arbitrary<AgentLayer> = fc.record({
  mode: fc.constantFrom('direct', 'acceptEdits', 'dontAsk', 'plan'),
  named: fc.constantFrom([], ['bash'], ['read', 'write']),
  agent: rules,
});
const command = fc.constantFrom('git status', 'git push', 'rm x; git log', 'a $(rm x)', '');
const file = fc.constantFrom('/p/docs/a', '/p/.env', '/etc/passwd', '/p');
const argument: fc.Arbitrary<PermissionArgument | undefined> = fc.oneof(
  fc.constant(undefined),
  command.map((text): PermissionArgument => ({ kind: 'command', texts: [text] })),
  fc
    .array(file, { maxLength: 2 })
    .map((texts): PermissionArgument => ({ kind: 'path', texts, roots: ['/p'] })),
);
const question: fc.Arbitrary<PermissionQuestion> = fc.record({
  tool: fc.constantFrom(
    { name: 'read', effect: 'read' } as const,
    { name: 'write', effect: 'edit' } as const,
    { name: 'bash', effect: 'command' } as const,
    { name: 'mcp__a__b', effect: 'command' } as const,
  ),
  argument,
  layers: fc.array(layer, { minLength: 1, maxLength: 3 }),
  server: rules,
  session: rules,
  grants: fc.array(rule, { maxLength: 2 }),
});

/** The question with one more rule, from the given source. */
function withRule(
  asked: PermissionQuestion,
  list: 'allow' | 'ask' | 'deny',
  text: string,
): PermissionQuestion[] {
  const add = (one: PermissionQuestion['server']) => ({
    ...one,
    [list]: [text, ...(one[list] ?? [])],
  });
  const agents = asked.layers.map((_one, index) => ({
    ...asked,
    layers: asked.layers.map((one, at) => (at === index ? { ...one, agent: add(one.agent) } : one)),
  }));
  return [
    { ...asked, server: add(asked.server) },
    { ...asked, session: add(asked.session) },
    ...agents,
  ];
}

describe('whatever the rules', () => {
  it.each(['deny', 'ask'] as const)('one more rule to %s never loosens', (list) => {
    fc.assert(
      fc.property(question, rule, (asked, text) => {
        for (const more of withRule(asked, list, text)) {
          expect(strictnessOf(more)).toBeGreaterThanOrEqual(strictnessOf(asked));
        }
      }),
    );
  });

  it('one more that allows, or an approval, never tightens', () => {
    fc.assert(
      fc.property(question, rule, (asked, text) => {
        const more = withRule(asked, 'allow', text);
        for (const one of [...more, { ...asked, grants: [text, ...asked.grants] }]) {
          expect(strictnessOf(one)).toBeLessThanOrEqual(strictnessOf(asked));
        }
      }),
    );
  });

  it('a deny rule for the whole tool denies', () => {
    fc.assert(
      fc.property(question, (asked) => {
        for (const more of withRule(asked, 'deny', asked.tool.name)) {
          expect(decidePermission(more).verdict).toBe('deny');
        }
      }),
    );
  });

  it('one more layer never loosens, wherever it is put', () => {
    fc.assert(
      fc.property(question, layer, fc.nat(3), (asked, more, at) => {
        const layers = [...asked.layers.slice(0, at), more, ...asked.layers.slice(at)];
        expect(strictnessOf({ ...asked, layers })).toBeGreaterThanOrEqual(strictnessOf(asked));
      }),
    );
  });

  it('their order in a list does not matter', () => {
    const reversed = (one: PermissionQuestion['server']) =>
      Object.fromEntries(Object.entries(one).map(([list, texts]) => [list, [...texts].reverse()]));
    fc.assert(
      fc.property(question, (asked) => {
        const other = {
          ...asked,
          server: reversed(asked.server),
          session: reversed(asked.session),
          layers: asked.layers.map((one) => ({ ...one, agent: reversed(one.agent) })),
          grants: [...asked.grants].reverse(),
        };
        expect(decidePermission(other)).toMatchObject({
          verdict: decidePermission(asked).verdict,
          rule: decidePermission(asked).rule,
        });
      }),
    );
  });

  it('a denial says so, and nothing else does', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { verdict, reason } = decidePermission(asked);
        expect(reason.startsWith('permission denied: ')).toBe(verdict === 'deny');
      }),
    );
  });
});
