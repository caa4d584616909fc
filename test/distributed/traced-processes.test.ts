import { describe, expect, it } from '@jest/globals';
import { newStore } from '../support/database/test-store.js';
import { startProcess } from '../support/processes/start-process.js';
import { startReceiver, type ReceivedSpan } from '../support/tracing/start-receiver.js';
import { newFolder, useShared } from '../support/suite.js';

/** As a URL: the variable splits at blanks, which a clone may have in its path. */
const otel = new URL('../../deploy/otel.mjs', import.meta.url).href;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT = '00f067aa0ba902b7';

describe('processes that are started with deploy/otel.mjs', () => {
  const folder = newFolder();
  const store = useShared(() => newStore());
  const receiver = useShared(startReceiver);

  const start = (role: 'api' | 'worker') =>
    startProcess({
      ...store.environment,
      TURNPIKE_ROLE: role,
      TURNPIKE_PROJECTS_DIR: folder,
      NODE_OPTIONS: `--import ${otel}`,
      OTEL_SERVICE_NAME: `turnpike-${role}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    });

  const inTrace = (): ReceivedSpan[] => receiver.spans.filter(({ traceId }) => traceId === TRACE);

  it('send one trace of a turn: from its client over the API to the worker', async () => {
    const api = await start('api');
    const worker = await start('worker');
    try {
      const sessionId = await api.client.createSession(folder);
      const headers = { traceparent: `00-${TRACE}-${CLIENT}-01` };
      const stream = await api.client.turn(sessionId, 'Hello', {}, headers);
      await stream.all();
      await (await fetch(`${api.url}/health`)).text();
    } finally {
      // A process that stops in order sends what it has left.
      expect(await worker.kill('SIGTERM')).toBe(0);
      expect(await api.kill('SIGTERM')).toBe(0);
    }
    const chain: string[] = [];
    for (let above: string | undefined = CLIENT; above !== undefined;) {
      const next = inTrace().find(({ parentSpanId }) => parentSpanId === above);
      if (next !== undefined) chain.push(`${next.service}: ${next.name}`);
      above = next?.spanId;
    }
    expect(chain).toEqual([
      'turnpike-api: POST /api/harness/turn',
      'turnpike-api: send turns',
      'turnpike-worker: process turns',
      'turnpike-worker: invoke_agent WORKING_ITEMS',
      'turnpike-worker: chat claude-sonnet-5-5',
    ]);
    expect(receiver.spans.map(({ name }) => name)).not.toContain('GET /health');
  });
});
