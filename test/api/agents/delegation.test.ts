import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { startServer, type TestServer, useServer } from '../../support/processes/start-server.js';

const approved = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

describe('delegation', () => {
  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER, TALKER]', 'AGENT_TYPE: 1'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK'],
    TALKER: ['AGENT_TYPE: 1'],
  });
  const server = useServer({
    environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' },
  });

  async function run(on: TestServer, persona: string, subagentGovernance: unknown) {
    const sessionId = await on.client.createSession(on.projectRoot, { persona });
    const stream = await on.client.turn(sessionId, 'Hello', { opts: { subagentGovernance } });
    const frames = await stream.all();
    expect(frames.at(-1)).toMatchObject({ event: 'process:exit', data: { exitCode: 0 } });
    const { body } = await on.client.get(`/api/harness/turns/${stream.header('x-turn-id') ?? ''}`);
    return {
      delegation: (body['turn'] as { delegation: unknown }).delegation,
      notices: frames
        .filter(({ event }) => event === 'system:notice')
        .map(({ data }) => [data['kind'], data['text']]),
    };
  }

  it('is allowed to agents that are made for it, and the client gets a notice', async () => {
    expect(await run(server, 'LEAD', { ...approved, approvedBy: 'Ann' })).toEqual({
      delegation: {
        allowed: true,
        gate: 'ALLOW',
        reason: 'All gates are passed.',
        approvalRef: 'CHG-1',
        approvedBy: 'Ann',
        allowlistedSubagents: ['TASKER', 'TALKER'],
        delegatedSubagents: ['TASKER'],
        evaluationMs: expect.any(Number),
      },
      notices: [['delegation-allowed', 'The turn may delegate to TASKER.']],
    });
    expect(server.logLines.join('')).toContain('"reason":"its file does not say AGENT_TYPE: 2"');
  });

  it('is denied by the first gate, and the turn goes on without', async () => {
    const { delegation, notices } = await run(server, 'LEAD', {
      ...approved,
      contextSealed: 'true',
    });
    expect(delegation).toMatchObject({
      allowed: false,
      gate: 'CONTEXT_SEALED',
      delegatedSubagents: [],
    });
    expect(notices).toEqual([
      [
        'delegation-denied',
        'The turn may not delegate: opts.subagentGovernance.contextSealed must be true.',
      ],
    ]);
  });

  it('is not spoken of to a client that did not ask, and is decided all the same', async () => {
    const { delegation, notices } = await run(server, 'LEAD', undefined);
    expect([delegation, notices]).toEqual([
      expect.objectContaining({ allowed: false, gate: 'METADATA_PRESENCE' }),
      [],
    ]);
  });

  it('is off unless the server says so to the letter', async () => {
    const off = await startServer({
      environment: { TURNPIKE_INSTRUCTION_ROOT: root, CHIRALITY_ENABLE_SUBAGENTS: '1' },
    });
    const { delegation } = await run(off, 'LEAD', approved);
    expect(delegation).toMatchObject({ allowed: false, gate: 'ENVIRONMENT' });
    await off.close();
  });
});
