import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { and, eq } from 'drizzle-orm';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { turns } from '../../../src/storage/schema.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { expectSoon } from '../../support/expect-soon.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { printTraces } from '../../support/tracing/print-traces.js';
import { recordSpans, type RecordedSpans } from '../../support/tracing/record-spans.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };
const call = (name: string, input: object): string => `[[tool=${name} ${JSON.stringify(input)}]]`;
const traceIdOf = (span: ReadableSpan): string => span.spanContext().traceId;
/** The header of another request than the one that posts the turn. */
const elsewhere = { traceparent: `00-${'e'.repeat(32)}-${'e'.repeat(16)}-01` };

describe('the spans of a turn', () => {
  let server: TestServer;
  let recorded: RecordedSpans;
  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1', 'tools: [glob, read, write]'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'description: Does tasks.'],
  });
  beforeAll(async () => {
    recorded = recordSpans();
    server = await startServer({
      environment: {
        TURNPIKE_INSTRUCTION_ROOT: root,
        TURNPIKE_ENABLE_SUBAGENTS: 'true',
        TURNPIKE_OVERLOAD_RETRIES: '0',
        TURNPIKE_PROVIDER_RETRIES: '0',
      },
    });
  });
  afterAll(async () => {
    await server.close();
    await recorded.stop();
  });
  beforeEach(() => recorded.forget());

  const spansOf = (turnId: string): ReadableSpan[] => {
    const all = recorded.ended();
    const conversation = all.find(({ attributes }) => attributes['turnpike.turn.id'] === turnId);
    expect(conversation).toBeDefined();
    return all;
  };
  const named = (name: string): ReadableSpan => {
    const found = recorded.ended().find((span) => span.name === name);
    if (found === undefined) throw new Error(`There is no span ${name}`);
    return found;
  };

  /** Ends the lease of an attempt, as a long pause of its worker does, until another worker has the turn. */
  async function takeOver(turnId: string, attempt: number): Promise<void> {
    const { db } = server;
    const isHeld = and(eq(turns.id, turnId), eq(turns.attempt, attempt));
    await expectSoon(async () => {
      await db
        .update(turns)
        .set({ leaseUntil: new Date(0) })
        .where(isHeld);
      const next = and(eq(turns.id, turnId), eq(turns.attempt, attempt + 1));
      expect(await db.$count(turns, next)).toBe(1);
    });
  }

  it('are one readable trace over a tool, a subagent, an approval and a takeover', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona: 'LEAD' });
    const calls = [
      call('glob', { pattern: '*' }),
      call('task', { agent: 'TASKER', prompt: 'Say hello [[tokens=3]]' }),
      call('write', { file_path: 'a.txt', content: 'x' }),
    ];
    const stream = await client.turn(
      sessionId,
      `${calls.join(' ')} [[tokens=80 gap=50]]`,
      { opts: { subagentGovernance, onDisconnect: 'continue' } },
      { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' },
    );
    const turnId = stream.header('x-turn-id');
    const { data } = await stream.until('approval:request');
    const approval = `/api/harness/approvals/${String(data['approvalId'])}`;
    await client.post(approval, { decision: 'approve' }, elsewhere);
    let isWritten = false;
    await stream.until(({ event, data: { name } }) => {
      isWritten ||= event === 'tool:result' && name === 'write';
      return isWritten && event === 'chat:delta';
    });
    await takeOver(turnId, 2);
    await stream.all();
    await expectSoon(() => {
      const attempts = spansOf(turnId).filter(({ name }) => name === 'invoke_agent LEAD');
      expect(attempts).toHaveLength(3);
    });
    const spans = spansOf(turnId);
    expect(printTraces(spans)).toBe(
      `
send turns (producer)
  process turns (consumer)
    invoke_agent LEAD #1 outcome=parked
      chat claude-sonnet-5-5 (client) finish=tool_use
      execute_tool glob
      execute_tool task
        invoke_agent TASKER #1 outcome=completed reason=end_turn
          chat claude-sonnet-5-5 (client) finish=end_turn

process turns (consumer) <- send turns, invoke_agent LEAD #1
  invoke_agent LEAD #2 outcome=left reason=lost error=lease_lost FAILED
    execute_tool write
    chat claude-sonnet-5-5 (client)

process turns (consumer) <- send turns, invoke_agent LEAD #2
  invoke_agent LEAD #3 outcome=completed reason=end_turn
    chat claude-sonnet-5-5 (client) finish=end_turn
`.trim(),
    );
    expect(traceIdOf(named('send turns'))).toBe(TRACE);
    expect(named('send turns').parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(spans.map(traceIdOf)).not.toContain('e'.repeat(32));
    expect(new Set(spans.map(traceIdOf)).size).toBe(3);
    const [row] = await server.db.select().from(turns).where(eq(turns.id, turnId));
    expect(row).toMatchObject({
      traceparent: `00-${TRACE}-${named('send turns').spanContext().spanId}-01`,
      tracestate: 'vendor=1',
    });
  });

  it('have what the conventions for generative AI name', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona: 'LEAD' });
    const stream = await client.turn(sessionId, `${call('glob', { pattern: '*' })} Look.`);
    await stream.all();
    await expectSoon(() => expect(named('process turns')).toBeDefined());
    const turnId = stream.header('x-turn-id');
    const conversation = { 'gen_ai.conversation.id': sessionId };
    expect(named('invoke_agent LEAD').attributes).toEqual({
      ...conversation,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.agent.name': 'LEAD',
      'gen_ai.request.model': 'claude-sonnet-5-5',
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'turnpike.turn.id': turnId,
      'turnpike.attempt': 1,
      'turnpike.outcome': 'completed',
      'turnpike.reason': 'end_turn',
      'turnpike.cost_usd': expect.any(Number),
    });
    expect(named('chat claude-sonnet-5-5').attributes).toEqual({
      ...conversation,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-5-5',
      'gen_ai.request.max_tokens': expect.any(Number),
      'gen_ai.request.stream': true,
      'gen_ai.response.id': expect.stringMatching(/^msg_/),
      'gen_ai.response.model': 'claude-sonnet-5-5',
      'gen_ai.response.finish_reasons': ['tool_use'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.usage.cache_read.input_tokens': expect.any(Number),
      'gen_ai.usage.cache_write.input_tokens': expect.any(Number),
      'server.address': '127.0.0.1',
      'server.port': expect.any(Number),
    });
    expect(named('execute_tool glob').attributes).toEqual({
      ...conversation,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'glob',
      'gen_ai.tool.call.id': expect.stringMatching(/^toolu_/),
      'gen_ai.tool.type': 'function',
    });
    const queue = {
      ...conversation,
      'messaging.system': 'turnpike',
      'messaging.destination.name': 'turns',
      'messaging.message.id': turnId,
    };
    expect(named('send turns').attributes).toMatchObject(queue);
    expect(named('process turns').attributes).toMatchObject(queue);
  });

  it('say what failed', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona: 'LEAD' });
    await (await client.turn(sessionId, '[[fail=529 after=0]]')).all();
    await expectSoon(() => expect(named('process turns')).toBeDefined());
    expect(printTraces(recorded.ended())).toBe(
      `
send turns (producer)
  process turns (consumer)
    invoke_agent LEAD #1 outcome=failed reason=SDK_FAILURE error=SDK_FAILURE FAILED
      chat claude-sonnet-5-5 (client) error=OVERLOADED FAILED
`.trim(),
    );
    recorded.forget();
    const second = await client.createSession(projectRoot, { persona: 'LEAD' });
    await (await client.turn(second, call('read', { file_path: 'nowhere' }))).all();
    await expectSoon(() => expect(named('process turns')).toBeDefined());
    expect(named('execute_tool read')).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'tool_error' },
    });
  });
});
