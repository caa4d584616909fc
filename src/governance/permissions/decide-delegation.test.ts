import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { parsePersona } from '../../../test/support/agents/parse-persona.js';
import type { Persona } from '../../agents/parse-agent-file.js';
import { createLogger } from '../../platform/logger.js';
import { TypedError } from '../../errors/typed-error.js';
import { decideDelegation, logDelegation } from './subagent-gate.js';

const approved = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };
const lead = parsePersona('LEAD', '---\nsubagents: [A, B, C, D]\n---\nLead');

function open(load: (name: string) => Promise<Persona>, { isEnabled = true, warnMs = 50 } = {}) {
  const lines: string[] = [];
  const clock = new ManualClock();
  const logger = createLogger({
    level: 'info',
    readable: false,
    redact: (line) => line,
    destination: { write: (line) => lines.push(line) },
  });
  const config = { subagentsEnabled: isEnabled, subagentWarnMs: warnMs };
  const decide = () =>
    decideDelegation({ personas: { load }, clock, logger, config }, lead, approved);
  const log = (decision: Awaited<ReturnType<typeof decide>>) =>
    logDelegation({ logger, config }, { turnId: 't', sessionId: 's', persona: 'LEAD' }, decision);
  return { decide, log, lines, clock };
}

const missing = new TypedError('PERSONA_NOT_FOUND', { message: 'none' });

describe('decideDelegation', () => {
  it('keeps the agents that are made for it, and says why the others are not', async () => {
    const files: Record<string, string> = {
      A: 'AGENT_TYPE: 2\nAGENT_CLASS: TASK',
      B: 'AGENT_TYPE: 1',
      D: 'AGENT_TYPE: 2',
    };
    const { decide, lines } = open(async (name) => {
      const file = files[name];
      if (file === undefined) throw missing;
      return parsePersona(name, file);
    });
    expect(await decide()).toMatchObject({ allowed: true, delegatedSubagents: ['A', 'D'] });
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged.map(({ msg, name, reason }) => [msg, name, reason])).toEqual([
      [
        'a subagent that an agent names cannot be used; the turn goes on without it',
        'B',
        'its file does not say AGENT_TYPE: 2',
      ],
      [
        'a subagent that an agent names cannot be used; the turn goes on without it',
        'C',
        'it has no file',
      ],
      [
        'a subagent is used although its file is incomplete; complete it',
        'D',
        'its file does not say AGENT_CLASS: TASK',
      ],
    ]);
  });

  it('stays allowed where nobody is left', async () => {
    const { decide } = open(async () => {
      throw missing;
    });
    expect(await decide()).toMatchObject({ allowed: true, gate: 'ALLOW', delegatedSubagents: [] });
  });

  it('denies what cannot be decided', async () => {
    const { decide, lines } = open(async () => {
      throw new Error('the disk is gone');
    });
    expect(await decide()).toEqual({
      allowed: false,
      gate: 'INTERNAL_ERROR',
      reason: 'The decision failed; the log of the server says why.',
      allowlistedSubagents: ['A', 'B', 'C', 'D'],
      delegatedSubagents: [],
      evaluationMs: 0,
    });
    expect(lines.join('')).toContain('the disk is gone');
  });

  it('reads no file where a gate is closed, and says when it was slow', async () => {
    const closed = open(
      async () => {
        throw new Error('nobody asks');
      },
      { isEnabled: false },
    );
    expect(await closed.decide()).toMatchObject({ gate: 'ENVIRONMENT' });
    const slow = open(async (name) => {
      await slow.clock.advance(60);
      return parsePersona(name, 'AGENT_TYPE: 2\nAGENT_CLASS: TASK');
    });
    const decision = await slow.decide();
    expect(decision).toMatchObject({ evaluationMs: 240 });
    slow.log(decision);
    slow.log({ ...decision, evaluationMs: 50 });
    expect(slow.lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 'warn', turnId: 't', sessionId: 's', gate: 'ALLOW' }),
      expect.objectContaining({ level: 'info', persona: 'LEAD' }),
    ]);
  });
});
