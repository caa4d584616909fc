import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { OPENED_DATABASE, type OpenedDatabase } from '../../../src/storage/connection.js';
import { expectSoon } from '../../support/expect-soon.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { parsePromql } from '../../support/metrics/parse-promql.js';
import { parseSamples, valueOf, type Sample } from '../../support/metrics/scrape.js';
import { startServer, useServer } from '../../support/processes/start-server.js';

interface Dashboard {
  panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
}

interface Alerts {
  groups: { rules: { alert: string; expr: string; labels: { severity: string } }[] }[];
}

const root = new URL('../../../', import.meta.url);
const textOf = (path: string) => readFile(new URL(path, root), 'utf8');

/** Labels that Prometheus adds. */
const ofPrometheus = ['instance', 'job', 'le'];

async function scrape(url: string): Promise<Sample[]> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  return parseSamples(await response.text());
}

describe('the metrics of a server', () => {
  let samples: Sample[];
  let turnId: string | null;
  const count = (name: string, labels: Record<string, string> = {}) =>
    valueOf(samples, `turnpike_${name}`, labels);
  const server = useServer();
  beforeAll(async () => {
    const { client, projectRoot, url } = server;
    const sessionId = await client.createSession(projectRoot);
    const first = await client.turn(sessionId, '[[tool=glob {"pattern":"*"}]] Look.');
    await first.all();
    turnId = first.header('x-turn-id');
    await (await client.follow(turnId ?? '')).all();
    await (await client.turn(sessionId, '[[fail=529 after=0]]')).all();
    await (await client.turn(sessionId, '[[tokens=3]] [[tool=invented {}]]')).all();
    samples = await scrape(url);
  });

  it('count turns, from acceptance to end', () => {
    expect(count('turns_accepted_total', { wire: 'harness' })).toBe(3);
    expect(count('turns_accepted_total', { wire: 'ag-ui' })).toBe(0);
    expect(count('turns_ended_total', { outcome: 'completed' })).toBe(2);
    expect(count('turns_ended_total', { outcome: 'failed' })).toBe(1);
    for (const name of ['turn_duration_seconds', 'turn_queue_seconds']) {
      expect(count(`${name}_count`)).toBe(3);
    }
    expect(count('turn_first_token_seconds_count')).toBeGreaterThanOrEqual(2);
  });

  it('count model calls with their tokens, and those that fail', () => {
    expect(count('steps_total', { outcome: 'tool_use' })).toBe(2);
    expect(count('steps_total', { outcome: 'end_turn' })).toBe(2);
    expect(count('tokens_total', { model: 'claude-sonnet-5-5', type: 'output' })).toBeGreaterThan(
      0,
    );
    expect(count('provider_errors_total', { category: 'API_RESPONSE_ERROR' })).toBeGreaterThan(0);
    expect(count('model_first_token_seconds_count')).toBeGreaterThanOrEqual(4);
  });

  it('count tool calls by tool, under one name those that the model made up', () => {
    expect(count('tool_calls_total', { tool: 'glob', outcome: 'success' })).toBe(1);
    expect(count('tool_calls_total', { tool: 'other' })).toBe(1);
  });

  it('count readers, and those that came back', async () => {
    expect(count('stream_resumes_total')).toBe(1);
    await expectSoon(async () => {
      const now = await scrape(server.url);
      expect(valueOf(now, 'turnpike_sse_readers', { wire: 'harness' })).toBe(0);
    });
  });

  it('show the queue, the workers, the connections and the process', () => {
    for (const state of ['held', 'queued', 'running', 'waiting']) {
      expect(count('queue_turns', { state })).toBe(0);
    }
    expect(count('queue_oldest_age_seconds')).toBe(0);
    expect(count('approvals_pending')).toBe(0);
    expect(count('worker_slots')).toBe(server.config.workerConcurrency);
    expect(count('turns_running')).toBe(0);
    expect(count('db_pool_connections')).toBeGreaterThan(0);
    expect(count('build_info', { role: 'all' })).toBe(1);
    expect(valueOf(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('have no id in a label', () => {
    const values = samples.flatMap(({ labels }) => Object.values(labels));
    expect(values.filter((value) => /^(turn|sess|step|msg|key)_/.test(value))).toEqual([]);
  });

  it('have everything that the dashboard and the alerts name', async () => {
    const dashboard = JSON.parse(await textOf('deploy/grafana/turnpike.json')) as Dashboard;
    const alerts = parse(await textOf('deploy/prometheus/alerts.yml')) as Alerts;
    const rules = alerts.groups.flatMap((group) => group.rules);
    const expressions = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...rules.map(({ expr }) => expr),
    ].map((text) => parsePromql(text.replaceAll('$__rate_interval', '5m')));
    expect(expressions.length).toBeGreaterThan(30);
    const served = new Set(samples.map(({ name }) => name));
    const labels = new Set([...ofPrometheus, ...samples.flatMap((one) => Object.keys(one.labels))]);
    expect(expressions.flatMap(({ metrics }) => metrics).filter((one) => !served.has(one))).toEqual(
      [],
    );
    expect(expressions.flatMap((one) => one.labels).filter((one) => !labels.has(one))).toEqual([]);
    expect(rules.filter(({ labels: { severity } }) => !/^(page|ticket)$/.test(severity))).toEqual(
      [],
    );
  });

  it('are each explained', async () => {
    const page = await textOf('docs/operate/metrics.md');
    const names = samples.map(({ name }) => name.replace(/_(bucket|sum|count)$/, ''));
    const ours = [...new Set(names)].filter((name) => name.startsWith('turnpike_'));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('count no event twice where a turn is read again', async () => {
    await (await server.client.follow(turnId ?? '')).all();
    const now = await scrape(server.url);
    expect(valueOf(now, 'turnpike_turns_ended_total')).toBe(3);
    expect(valueOf(now, 'turnpike_stream_resumes_total')).toBe(2);
  });
});

describe('the way to the metrics', () => {
  it('is a key with the scope metrics, where there are keys', async () => {
    const server = await startServer();
    await makeKey(server, { principal: 'boss' });
    const scopes = (own: string[]) => makeKey(server, { principal: 'prometheus', scopes: own });
    const scraper = new KeyedClient(server.url, (await scopes(['metrics'])).secret);
    const user = new KeyedClient(server.url, (await scopes(['turns', 'admin'])).secret);
    expect((await new KeyedClient(server.url).send('GET', '/metrics')).status).toBe(401);
    const refused = await user.send('GET', '/metrics');
    expect([refused.status, refused.body['error']]).toEqual([
      403,
      expect.objectContaining({
        type: 'FORBIDDEN_SCOPE',
        details: expect.objectContaining({ needed: 'metrics' }),
      }),
    ]);
    const answer = await scraper.send('GET', '/metrics');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect((await scraper.send('GET', '/api/harness/sessions')).status).toBe(403);
    await server.close();
  });

  it('is a port of their own, where the configuration names one', async () => {
    const server = await startServer({ environment: { TURNPIKE_METRICS_PORT: '0' } });
    await makeKey(server, { principal: 'boss' });
    const line = server.logLines.find((text) =>
      text.includes('serving metrics on a port of their own'),
    );
    const { port } = JSON.parse(line ?? '{}') as { port: number };
    const own = `http://127.0.0.1:${port}`;
    expect(valueOf(await scrape(own), 'turnpike_build_info')).toBe(1);
    expect((await fetch(`${own}/health`)).status).toBe(404);
    await server.close();
    await expect(fetch(`${own}/metrics`)).rejects.toThrow('fetch failed');
  });

  it('is open at that port while the database is away, and the queue is not known', async () => {
    const server = await startServer({ environment: { TURNPIKE_METRICS_PORT: '0' } });
    const line = server.logLines.find((text) =>
      text.includes('serving metrics on a port of their own'),
    );
    const { port } = JSON.parse(line ?? '{}') as { port: number };
    await server.get<OpenedDatabase>(OPENED_DATABASE).close();
    const samples = await scrape(`http://127.0.0.1:${port}`);
    expect(valueOf(samples, 'turnpike_worker_slots')).toBe(server.config.workerConcurrency);
    expect(valueOf(samples, 'turnpike_queue_turns', { state: 'queued' })).toBeNaN();
    expect(valueOf(samples, 'turnpike_queue_oldest_age_seconds')).toBeNaN();
    expect(server.logLines.join('')).toContain(
      'could not count the queue for metrics; its gauges are NaN in this scrape',
    );
    await server.close().catch(() => undefined);
  });
});
