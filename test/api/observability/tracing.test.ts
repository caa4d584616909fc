import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { trace } from '@opentelemetry/api';
import { eq } from 'drizzle-orm';
import { turns } from '../../../src/storage/schema.js';
import { expectSoon } from '../../support/expect-soon.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { recordSpans, type RecordedSpans } from '../../support/tracing/record-spans.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const posted = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
const SECRET = 'sk-ant-test-key-that-is-secret';

/** Names of headers that carry ids of traces, in each format that OpenTelemetry has. */
const ofTraces = /^(traceparent|tracestate|baggage|b3|x-b3-.*|uber-trace-id|sentry-trace)$/;

function traceHeaders({ modelRequests }: TestServer): string[] {
  expect(modelRequests.length).toBeGreaterThan(0);
  return modelRequests
    .flatMap(({ headers }) => Object.keys(headers))
    .filter((name) => ofTraces.test(name));
}

async function runTurn({ client, projectRoot }: TestServer, message: string): Promise<string> {
  const sessionId = await client.createSession(projectRoot);
  const stream = await client.turn(sessionId, message, {}, posted);
  await stream.all();
  return stream.header('x-turn-id');
}

describe('a server without an SDK of OpenTelemetry', () => {
  it('records nothing, sends nothing on, and keeps the trace of the request for its log', async () => {
    const server = await startServer();
    try {
      const turnId = await runTurn(server, 'Hello');
      expect(traceHeaders(server)).toEqual([]);
      expect(trace.getTracer('any').startSpan('any').isRecording()).toBe(false);
      const [row] = await server.db.select().from(turns).where(eq(turns.id, turnId));
      expect(row).toMatchObject({ ...posted, tracestate: null, lastTraceparent: null });
    } finally {
      await server.close();
    }
  });
});

describe('a server with an SDK of OpenTelemetry', () => {
  let recorded: RecordedSpans;
  let server: TestServer | undefined;
  beforeEach(() => {
    recorded = recordSpans();
    server = undefined;
  });
  afterEach(async () => {
    await server?.close();
    await recorded.stop();
  });

  const spanOf = async (name: string) => {
    await expectSoon(() =>
      expect(recorded.ended().map((span) => span.name)).toContain('process turns'),
    );
    const found = recorded.ended().find((span) => span.name.startsWith(name));
    if (found === undefined) throw new Error(`There is no span ${name}`);
    return found;
  };

  it("sends no ids of traces to the model's API, whatever traces its requests", async () => {
    const disable = registerInstrumentations({ instrumentations: [new UndiciInstrumentation()] });
    try {
      server = await startServer();
      await runTurn(server, 'Hello');
      expect(traceHeaders(server)).toEqual([]);
      await spanOf('chat');
      // The instrumentation is at work: it sees the requests of this test.
      expect(recorded.ended().map(({ name }) => name)).toContain('POST');
    } finally {
      disable();
    }
  });

  it('shows no content of the conversation unless it is asked for', async () => {
    server = await startServer();
    await runTurn(server, '[[tool=glob {"pattern":"*.planted"}]] A planted message.');
    await spanOf('chat');
    const attributes = recorded.ended().map((span) => JSON.stringify(span.attributes));
    expect(attributes.join()).not.toContain('planted');
  });

  it('shows content where it is asked for, cut and without secrets', async () => {
    server = await startServer({ environment: { TURNPIKE_TRACE_CONTENT: 'true' } });
    const long = 'long '.repeat(4_000);
    await runTurn(server, `[[tool=glob {"pattern":"*.planted"}]] A message with ${SECRET} ${long}`);
    const chat = await spanOf('chat');
    const input = JSON.parse(String(chat.attributes['gen_ai.input.messages'])) as unknown[];
    const text = { type: 'text', content: expect.stringMatching(/A message with \[REDACTED.*…$/s) };
    expect(input.at(-1)).toMatchObject({ role: 'user', parts: expect.arrayContaining([text]) });
    expect(chat.attributes['turnpike.content.cut']).toBe(true);
    const part = { type: 'tool_call', name: 'glob', arguments: { pattern: '*.planted' } };
    expect(JSON.parse(String(chat.attributes['gen_ai.output.messages']))).toEqual([
      {
        role: 'assistant',
        finish_reason: 'tool_use',
        parts: expect.arrayContaining([expect.objectContaining(part)]),
      },
    ]);
    expect(chat.attributes['gen_ai.system_instructions']).toContain('"type":"text"');
    const tool = await spanOf('execute_tool');
    expect(tool.attributes['gen_ai.tool.call.arguments']).toBe('{"pattern":"*.planted"}');
    expect(tool.attributes['gen_ai.tool.call.result']).toEqual(expect.any(String));
    const all = recorded.ended().map((span) => JSON.stringify(span.attributes));
    expect(all.join()).not.toContain(SECRET);
  });

  it('leaves out what a sampler leaves out', async () => {
    server = await startServer();
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const unsampled = { traceparent: `00-${TRACE}-00f067aa0ba902b7-00` };
    const stream = await client.turn(sessionId, 'Hello', {}, unsampled);
    await stream.all();
    const turnId = stream.header('x-turn-id');
    const [row] = await server.db.select().from(turns).where(eq(turns.id, turnId));
    expect(row?.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(row?.lastTraceparent).toBeNull();
    expect(recorded.ended().filter((span) => span.spanContext().traceId === TRACE)).toEqual([]);
  });
});
