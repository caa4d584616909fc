import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/config.js';
import { findObjectFaults } from '../support/kubernetes/find-object-faults.js';
import { environmentOf, podsOf, type Pod } from '../support/kubernetes/pods.js';
import { chart, renderChart, type RenderedChart } from '../support/kubernetes/render-chart.js';
import { newDatabase } from '../support/database/new-database.js';

const secret = { existingSecret: 'turnpike' };
const everything = {
  image: { repository: 'registry.example/turnpike', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  secret: { ...secret, revision: '2' },
  settings: {
    TURNPIKE_MODEL: 'claude-sonnet-5-5',
    TURNPIKE_PERMISSIONS_FILE: '/etc/turnpike/permissions.yaml',
  },
  files: { 'permissions.yaml': 'deny: []\n' },
  extraEnv: [{ name: 'DOCS_TOKEN', valueFrom: { secretKeyRef: { name: 'docs', key: 'token' } } }],
  extraVolumes: [{ name: 'instructions', configMap: { name: 'instructions' } }],
  extraVolumeMounts: [{ name: 'instructions', mountPath: '/instructions' }],
  projects: { storageClass: 'nfs', size: '1Ti' },
  api: {
    drainMs: 30_001,
    autoscaling: { enabled: true, prometheusAddress: 'http://prometheus:9090' },
    podAnnotations: { team: 'agents' },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }],
  },
  worker: { drainMs: 600_000, concurrency: 8, autoscaling: { enabled: true } },
  serviceAccount: { annotations: { 'iam.example/role': 'turnpike' } },
  service: { type: 'LoadBalancer', annotations: { internal: 'true' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' },
    host: 'agents.example.com',
    tlsSecret: 'agents-tls',
  },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    rules: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
  },
};
const least = {
  secret,
  allowKeyless: true,
  projects: { enabled: false },
  migrate: { enabled: false },
  serviceAccount: { create: false, name: 'agents' },
  podDisruptionBudget: { enabled: false },
};
const releases: readonly [string, object][] = [
  ['the defaults', { secret }],
  ['everything on', everything],
  ['the least', least],
  ['a claim of the operator', { secret, projects: { existingClaim: 'files' } }],
];

describe.each(releases)('the chart with %s', (_, values) => {
  let rendered: RenderedChart;
  let pods: Pod[];
  beforeAll(async () => {
    rendered = await renderChart(values);
    pods = podsOf(rendered);
  });

  it('makes objects that Kubernetes takes, with no field that it does not know', () => {
    const faults = rendered.objects.flatMap((object) =>
      findObjectFaults(object).map((fault) => `${object.kind} ${object.metadata?.name}${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('gives each process an environment that it starts with', () => {
    for (const pod of pods) {
      for (const container of pod.spec.containers) {
        const environment = environmentOf(container, {
          DATABASE_URL: 'postgres://u:p@postgres/turnpike',
          REDIS_URL: 'redis://redis',
          ANTHROPIC_API_KEY: 'sk-ant-key',
        });
        const config = parseConfig(environment);
        expect(config.databaseUrl).toBe('postgres://u:p@postgres/turnpike');
        const { host, port, metricsPort, migrate, firstKey } = config;
        if (pod.component === undefined) continue;
        expect(config.role).toBe(pod.component);
        expect({ host, port, metricsPort, migrate, firstKey }).toEqual({
          host: '0.0.0.0',
          port: 4400,
          metricsPort: 9400,
          migrate: 'check',
          firstKey: 'refuse',
        });
      }
    }
  });

  it('runs each process with no right that it does not need', () => {
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      for (const container of spec.containers) {
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: {
            requests: { memory: expect.anything() },
            limits: { memory: expect.anything() },
          },
        });
        expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
      }
    }
  });

  it('asks each process whether it lives, and gives it the time that its stop takes', () => {
    const served = pods.filter(({ component }) => component !== undefined);
    expect(served.map(({ component }) => component)).toEqual(['api', 'worker']);
    for (const { spec } of served) {
      const [container] = spec.containers;
      expect(container).toMatchObject({
        startupProbe: { httpGet: { path: '/live', port: 'http' } },
        livenessProbe: { httpGet: { path: '/live', port: 'http' } },
        readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
        lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
      });
      const { TURNPIKE_DRAIN_MS: drain } = environmentOf(container, {});
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(5 + Number(drain) / 1_000 + 10);
    }
  });

  it('names nothing that is not there', () => {
    const made = (kind: 'ConfigMap' | 'PersistentVolumeClaim' | 'ServiceAccount') =>
      rendered.all(kind).map(({ metadata }) => metadata?.name);
    const given = ['files', 'instructions', 'agents'];
    for (const { spec } of pods) {
      const volumes = spec.volumes ?? [];
      for (const { volumeMounts = [] } of spec.containers) {
        expect(volumes.map(({ name }) => name)).toEqual(
          expect.arrayContaining(volumeMounts.map(({ name }) => name)),
        );
      }
      const claims = volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
      expect([...made('PersistentVolumeClaim'), ...given]).toEqual(expect.arrayContaining(claims));
      const maps = volumes.flatMap(({ configMap }) => configMap?.name ?? []);
      expect([...made('ConfigMap'), ...given]).toEqual(expect.arrayContaining(maps));
      const account = spec.serviceAccountName;
      if (account !== undefined) expect([...made('ServiceAccount'), ...given]).toContain(account);
    }
  });

  it('selects the pods that each object is for, and never the migrations', () => {
    const selected = (selector: Record<string, string> = {}) =>
      pods
        .filter(({ labels }) => Object.entries(selector).every(([key, at]) => labels[key] === at))
        .map(({ component }) => component);
    for (const { metadata, spec } of rendered.all('Deployment')) {
      const component = metadata?.labels?.['app.kubernetes.io/component'];
      expect(selected(spec?.selector.matchLabels)).toEqual([component]);
    }
    for (const { metadata, spec } of rendered.all('PodDisruptionBudget')) {
      const component = metadata?.labels?.['app.kubernetes.io/component'];
      expect(selected(spec?.selector?.matchLabels)).toEqual([component]);
      expect(spec?.maxUnavailable).toBe(1);
    }
    expect(selected(rendered.one('Service', 'turnpike').spec?.selector)).toEqual(['api']);
    const metrics = rendered.one('Service', 'turnpike-metrics');
    expect(selected(metrics.spec?.selector)).toEqual(['api', 'worker']);
    for (const { spec } of rendered.all('ServiceMonitor')) {
      expect(metrics.metadata?.labels).toMatchObject(spec.selector.matchLabels ?? {});
    }
  });
});

describe('the check of objects', () => {
  it('finds a field that Kubernetes does not know, a type that it does not take, and what is missing', async () => {
    const [deployment] = (await renderChart({ secret })).all('Deployment');
    const text = JSON.stringify(deployment);
    const faultsOf = (changed: string) =>
      findObjectFaults(JSON.parse(changed) as { kind: string }).join('\n');
    expect(faultsOf(text.replace('readinessProbe', 'readynessProbe'))).toMatch(
      /containers\/0 must NOT have additional properties .*readynessProbe/,
    );
    expect(faultsOf(text.replace('"replicas":2', '"replicas":"2"'))).toMatch(
      /\/spec\/replicas must be number/,
    );
    expect(faultsOf(text.replace('"selector"', '"Selector"'))).toMatch(
      /required property 'selector'/,
    );
    expect(findObjectFaults({ kind: 'Deploiment' })).toEqual(['Deploiment is no known kind']);
  });
});

describe('the chart', () => {
  it('migrates before anything else is made, and a new file or secret restarts processes', async () => {
    const [job] = (await renderChart({ secret })).all('Job');
    expect(job?.metadata?.annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
    const [container] = job?.spec?.template.spec?.containers ?? [];
    expect(container?.command).toEqual(['node', 'dist/cli.js', 'migrate']);
    const templates = async (values: object) =>
      (await renderChart({ secret, ...values }))
        .all('Deployment')
        .map(({ spec }) => spec?.template);
    const before = await templates({});
    expect(await templates({})).toEqual(before);
    for (const change of [{ files: { 'a.yaml': 'x' } }, { secret: { ...secret, revision: '2' } }]) {
      expect(await templates(change)).not.toEqual(before);
    }
  });

  it('leaves the number of pods to what scales them, by numbers that the database gives', async () => {
    const rendered = await renderChart(everything);
    const targets = rendered.all('ScaledObject').map(({ spec }) => spec.scaleTargetRef.name);
    expect(targets).toEqual(['turnpike-worker', 'turnpike-api']);
    for (const name of targets) {
      expect(rendered.one('Deployment', name).spec).not.toHaveProperty('replicas');
    }
    const { triggers } = rendered.one('ScaledObject', 'turnpike-worker').spec;
    expect(triggers.map(({ metadata }) => metadata['targetQueryValue'])).toEqual(['6', '5']);
    const database = await newDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(`insert into sessions (id, project_root, persona, mode, created_at, updated_at)
      select 's' || n, '/x', 'p', 'direct', now(), now() from generate_series(1, 3) n`);
    await client.query(`insert into turns (id, session_id, status, request, request_hash, options, created_at)
      select 't' || n, 's' || n, (array['queued', 'running', 'completed'])[n], '{}', 'h', '{}',
        now() - interval '90 seconds' from generate_series(1, 3) n`);
    const numbers = [];
    for (const { metadata } of triggers) {
      const { rows } = await client.query<unknown[]>({
        text: metadata['query'] ?? '',
        rowMode: 'array',
      });
      numbers.push(Number(rows[0]?.[0]));
    }
    expect(numbers).toEqual([2, expect.closeTo(90, -1)]);
    await client.end();
    await database.drop();
  });

  it('brings the alerts and the dashboard as they are', async () => {
    const rendered = await renderChart(everything);
    const [rules] = rendered.all('PrometheusRule');
    const alerts = await readFile(
      new URL('../../prometheus/alerts.yml', `file://${chart}`),
      'utf8',
    );
    expect(rules?.spec).toEqual(parse(alerts));
    const dashboard = rendered.one('ConfigMap', 'turnpike-dashboard').data?.['turnpike.json'];
    const file = new URL('../../grafana/turnpike.json', `file://${chart}`);
    expect(dashboard).toBe(await readFile(file, 'utf8'));
  });

  it.each<[object, RegExp]>([
    [{}, /secret\.existingSecret is required: the name of a Secret with DATABASE_URL/],
    [{ secret, replicas: 3 }, /additional properties 'replicas' not allowed/],
    [{ secret, api: { replica: 3 } }, /additional properties 'replica' not allowed/],
    [{ secret, worker: { drainMs: '60s' } }, /drainMs': got string, want integer/],
    [{ secret, settings: { TURNPIKE_ROLE: 'all' } }, /invalid propertyName 'TURNPIKE_ROLE'/],
    [{ secret, settings: { TURNPIKE_MAX_SESSIONS: 5 } }, /got number, want string/],
    [{ secret, image: { digest: 'latest' } }, /digest': 'latest' does not match pattern/],
    [{ secret, metrics: { port: 4400 } }, /metrics\/port': 'not' failed/],
    [{ secret, projects: { size: '20 GB' } }, /size': '20 GB' does not match pattern/],
    [{ secret, ingress: { enabled: true } }, /ingress\.host is required with ingress\.enabled/],
    [
      { secret, api: { autoscaling: { enabled: true } } },
      /api\.autoscaling\.prometheusAddress is required/,
    ],
  ])('refuses %j in words', async (values, words) => {
    await expect(renderChart(values)).rejects.toThrow(words);
  });
});
