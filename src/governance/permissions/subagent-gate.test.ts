import { describe, expect, it } from '@jest/globals';
import { delegationTable, judgeDelegation, type SubagentQuestion } from './subagent-gate.js';

const approved = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };
const question: SubagentQuestion = {
  isEnabled: true,
  persona: { name: 'ORCHESTRATOR', subagents: ['READER'], agentType: 1 },
  metadata: approved,
};
const judge = (other: Partial<SubagentQuestion> = {}) => judgeDelegation({ ...question, ...other });
const withMetadata = (other: Record<string, unknown>) =>
  judge({ metadata: { ...approved, ...other } });

/** Zero-width, direction, byte order, soft hyphen, fillers, blanks of other scripts, controls. */
const unseen =
  '\u200b|\u200c\u200d|\u2060|\ufeff|\u00ad|\u202e|\u180e|\u034f|\u3164|\uffa0|\u115f|\u2800|\u00a0|\u3000|\0|\u0301| \u200b '.split(
    '|',
  );

describe('judgeDelegation', () => {
  it('allows what passes every gate, with its approval', () => {
    expect(judge()).toEqual({
      allowed: true,
      gate: 'ALLOW',
      reason: 'All gates are passed.',
      approvalRef: 'CHG-1',
    });
    expect(withMetadata({ approvedBy: ' Ann ', more: 1 })).toMatchObject({ approvedBy: 'Ann' });
    for (const approvalRef of ['7', '#', '承認', 'é', '✅', '\u200bCHG-1']) {
      expect(withMetadata({ approvalRef }).gate).toBe('ALLOW');
    }
    expect(withMetadata({ approvedBy: 7 })).not.toHaveProperty('approvedBy');
  });

  it.each<[string, Partial<SubagentQuestion>]>([
    ['ENVIRONMENT', { isEnabled: false, persona: { name: 'P', subagents: [] }, metadata: null }],
    ['PERSONA_ALLOWLIST', { persona: { name: 'P', subagents: [] }, metadata: null }],
    ['PERSONA_ALLOWLIST', { persona: { name: 'P', subagents: ['A'], agentType: 2 } }],
    ['METADATA_PRESENCE', { metadata: undefined }],
    ['METADATA_PRESENCE', { metadata: null }],
    ['METADATA_PRESENCE', { metadata: [approved] }],
    ['METADATA_PRESENCE', { metadata: JSON.stringify(approved) }],
    ['CONTEXT_SEALED', { metadata: {} }],
  ])('stops at the first gate that is not passed: %s', (gate, other) => {
    expect(judge(other)).toEqual({ allowed: false, gate, reason: expect.any(String) });
  });

  it.each([
    ['CONTEXT_SEALED', 'contextSealed', [false, 'true', 1, {}, null, undefined]],
    ['PIPELINE_RUN_APPROVED', 'pipelineRunApproved', [false, 'true', 1, [], null, undefined]],
    ['APPROVAL_REF', 'approvalRef', ['', '  ', 1, true, ['CHG-1'], null, undefined, ...unseen]],
  ])('takes nothing else for a yes at %s', (gate, field, values) => {
    for (const value of values) expect(withMetadata({ [field]: value }).gate).toBe(gate);
  });

  it('does not take what a prototype says', () => {
    const metadata: unknown = JSON.parse(
      '{"__proto__": {"contextSealed": true, "pipelineRunApproved": true, "approvalRef": "x"}}',
    );
    expect(judge({ metadata }).gate).toBe('CONTEXT_SEALED');
  });

  it('takes a persona that declares no type', () => {
    const persona = { name: 'P', subagents: ['A'] };
    expect(judge({ persona }).allowed).toBe(true);
  });

  it('lists its gates in their order', () => {
    expect(delegationTable().map(({ gate }) => gate)).toEqual([
      'ENVIRONMENT',
      'PERSONA_ALLOWLIST',
      'METADATA_PRESENCE',
      'CONTEXT_SEALED',
      'PIPELINE_RUN_APPROVED',
      'APPROVAL_REF',
    ]);
  });
});
