import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../events/turn-event.js';
import type { JsonObject } from '../../platform/json.js';
import type { AnnouncedSkill } from '../../storage/shapes/sent-request.js';
import type { ToolCallStatus } from '../../storage/shapes/stored-turn.js';
import type { CallResult, FinishedStep } from '../../turn/state/attempt.js';
import type { TurnPermissions } from '../../turn/state/attempt-context.js';
import { narrowLayers, type NarrowingFacts } from '../../turn/approvals/judge-call.js';
import { narrowCalls } from './narrow-calls.js';

const announced = (name: string, allowedTools?: readonly string[]): AnnouncedSkill => ({
  name,
  description: name,
  digest: name,
  ...(allowedTools === undefined ? {} : { allowedTools }),
});
const skills = [announced('git', ['bash(git *)']), announced('plain'), announced('look', [])];

const above = { mode: 'direct', named: [], agent: {} };
const permissions: TurnPermissions = {
  layers: [above, { ...above, mode: 'plan' }],
  server: {},
  session: {},
  grants: [],
  root: {
    projectRoot: '/p',
    real: '/p',
    spellings: ['/p'],
    ownPaths: { closed: [], hidden: [], protected: [] },
    others: undefined,
  },
};

/** Facts in which each step has a call of `load_skill`; the last step’s calls are to be judged. */
function facts(...loads: [name: string, status: ToolCallStatus][]) {
  const steps = [...loads, undefined].map((load, index): FinishedStep => ({
    step: index + 1,
    parts:
      load === undefined
        ? []
        : [{ type: 'tool_use', id: `call-${index}`, name: 'load_skill', input: { name: load[0] } }],
    stopReason: 'tool_use',
    usage: noUsage,
    sent: null,
    endedAt: new Date(0),
  }));
  const results = new Map(
    loads.map(([, status], index): [string, CallResult] => [
      `call-${index}`,
      { status, output: null },
    ]),
  );
  return { progress: { steps, results }, approvals: [] };
}
const narrowed = (given: NarrowingFacts, of = skills) =>
  narrowLayers(permissions, [(now) => narrowCalls(of, now)], given);
const narrowingOf = (given: NarrowingFacts) =>
  narrowed(given).layers.map(({ narrowing }) => narrowing?.map(({ name }) => name));

describe('the rules of a turn that has loaded skills', () => {
  it('leaves the permissions as they are until a skill with a limit is loaded', () => {
    expect(narrowed(facts())).toBe(permissions);
    expect(narrowed(facts(['plain', 'success']))).toBe(permissions);
    expect(narrowed(facts(['git', 'error'], ['git', 'denied']))).toBe(permissions);
  });

  it('narrows the turn’s own layer, by each skill that it has loaded', () => {
    expect(narrowed(facts(['git', 'success']))).toEqual({
      ...permissions,
      layers: [
        above,
        {
          ...above,
          mode: 'plan',
          narrowing: [{ name: 'git', allowed: ['bash(git *)', 'load_skill', 'read_skill_file'] }],
        },
      ],
    });
    const both = facts(['git', 'success'], ['plain', 'success'], ['look', 'success']);
    expect(narrowingOf(both)).toEqual([undefined, ['git', 'look']]);
  });

  it('leaves a skill with tools of MCP servers the search that finds them', () => {
    const given = facts(['git', 'success']);
    const skills = [{ name: 'git', description: '', digest: '', allowedTools: ['mcp__git__*'] }];
    const { layers } = narrowed(given, skills);
    expect(layers.at(-1)?.narrowing?.[0]?.allowed).toEqual(
      expect.arrayContaining(['mcp__git__*', 'find_tools', 'use_tool']),
    );
  });

  it('narrows no call beside the one that loads', () => {
    const { progress, ...rest } = facts(['git', 'success']);
    const steps = progress.steps.slice(0, 1);
    expect(narrowed({ ...rest, progress: { ...progress, steps } })).toBe(permissions);
  });

  it('counts the skill that a person put in place of the model’s', () => {
    const editedInput: JsonObject = { name: 'look' };
    const approvals = [{ callId: 'call-0', editedInput }];
    expect(narrowingOf({ ...facts(['git', 'success']), approvals })).toEqual([undefined, ['look']]);
  });
});
