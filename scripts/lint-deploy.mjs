/**
 * Checks Dockerfile, the compose files, the files of `deploy/` that it mounts and the chart, which no test can run here,
 * against the rules of their own tools and against our documentation. `dclint` has the schema of compose files.
 */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { parse } from 'yaml';
import { findNginx } from './cluster/find-nginx.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const text = (name) => readFile(path.join(root, name), 'utf8');

/** The tables of the configuration's variables. */
async function variablesText() {
  const files = await readdir(path.join(root, 'src/config/variables'));
  return (await Promise.all(files.map((file) => text(`src/config/variables/${file}`)))).join('\n');
}

const composed = [
  'docker-compose.yml',
  // What create-turnpike makes.
  'packages/create-turnpike/template/docker-compose.yml',
];
const [compose, created] = await Promise.all(
  composed.map(async (file) => parse(await text(file), { merge: true })),
);
const variables = await variablesText();
const problems = [
  ...lintDockerfile(await text('Dockerfile'), variables),
  ...[compose, created].flatMap((one, index) => lintCompose(composed[index], one, variables)),
  ...lintScrape(parse(await text('deploy/prometheus/prometheus.yml')), compose),
  ...lintNginx(await text('deploy/nginx.conf')),
  ...(await lintPorts(await text('deploy/nginx.conf'))),
  ...(await lintChart(variables)),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Roles that the manual starts stand where the gateway expects them: a worker behind it answers 404. */
async function lintPorts(nginx) {
  const upstream = new Set(
    [...nginx.matchAll(/^\s*server 127\.0\.0\.1:(\d+)/gm)].map(([, port]) => port),
  );
  const pages = ['docs/operate/production.md', 'docs/operate/several-processes.md'];
  const found = await Promise.all(
    pages.map(async (page) =>
      [...(await text(page)).matchAll(/--role (api|worker) --port (\d+)/g)].flatMap(
        ([, role, port]) =>
          upstream.has(port) === (role === 'api')
            ? []
            : [
                `${page}: deploy/nginx.conf ${role === 'api' ? 'lacks' : 'lists'} port ${port} of a ${role}`,
              ],
      ),
    ),
  );
  return found.flat();
}

function lintDockerfile(dockerfile, config) {
  const found = validateDockerfile(dockerfile).map(
    ({ message, range }) =>
      `Dockerfile:${range.start.line + 1}: ${typeof message === 'string' ? message : message.value}`,
  );
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const promised = [
    'USER node',
    'HEALTHCHECK',
    'STOPSIGNAL SIGTERM',
    'NODE_ENV=production',
    'TURNPIKE_HOST=0.0.0.0',
    'TURNPIKE_FIRST_KEY=print',
    'VOLUME ["/data", "/projects"]',
  ];
  const missing = promised.filter((line) => !last.includes(line));
  const set = [...last.matchAll(/\b(TURNPIKE_\w+)=/g)].map(([, name]) => name);
  const unknown = set.filter((name) => !config.includes(`'${name}'`));
  const bases = new Set(
    [...dockerfile.matchAll(/^FROM (?:--\S+ )?(\S+)/gm)].map(([, image]) => image),
  );
  return [
    ...found,
    ...missing.map((line) => `Dockerfile: the image that runs has no ${line}`),
    ...unknown.map((name) => `Dockerfile: ${name} is no setting`),
    ...(bases.size === 1 ? [] : [`Dockerfile: stages of ${[...bases].join(' and ')}`]),
  ];
}

function lintCompose(file, { services }, config) {
  const promised = ['--appendonly yes', '--maxmemory-policy noeviction'];
  const found = promised
    .filter((option) => !services.redis.command.includes(option))
    .map((option) => `${file}: redis has no ${option}`);
  for (const [name, { build, healthcheck, environment = {}, ports = [] }] of Object.entries(
    services,
  )) {
    if (build === undefined && healthcheck === undefined) {
      found.push(`${file}: ${name} has no healthcheck`);
    }
    // A Turnpike, and not the backend of a page.
    for (const variable of Object.keys('DATABASE_URL' in environment ? environment : {})) {
      if (!config.includes(`'${variable}'`)) {
        found.push(`${file}: ${name} sets ${variable}, which is no setting`);
      }
    }
    for (const port of ports) {
      if (!String(port).startsWith('127.0.0.1:')) {
        found.push(`${file}: ${name} publishes ${port} beyond this machine`);
      }
    }
  }
  return found;
}

/** Prometheus scrapes each process of ours, at its address in the network that Prometheus is in. */
function lintScrape({ scrape_configs: jobs }, { services }) {
  const served = Object.entries(services)
    .filter(([, { build, environment }]) => build !== undefined && environment.TURNPIKE_ROLE)
    .map(([name, { network_mode: network, environment }]) => {
      const host = network === services.prometheus.network_mode ? '127.0.0.1' : name;
      return `${host}:${environment.TURNPIKE_METRICS_PORT}`;
    });
  const scraped = jobs.flatMap((job) => job.static_configs.flatMap(({ targets }) => targets));
  const same = JSON.stringify(served.toSorted()) === JSON.stringify(scraped.toSorted());
  return same
    ? []
    : [
        `deploy/prometheus/prometheus.yml: scrapes ${scraped.join(' ')}; there are ${served.join(' ')}`,
      ];
}

/** What needs no Helm of the chart: test/release/helm-chart.test.ts renders it. */
async function lintChart(variables) {
  const chart = 'deploy/helm/turnpike';
  const { appVersion } = parse(await text(`${chart}/Chart.yaml`));
  const { version } = JSON.parse(await text('package.json'));
  const values = parse(await text(`${chart}/values.yaml`));
  const check = new Ajv({ allErrors: true }).compile(
    JSON.parse(await text(`${chart}/values.schema.json`)),
  );
  check(values);
  const files = await readdir(path.join(root, chart, 'templates'));
  const templates = await Promise.all(files.map((file) => text(`${chart}/templates/${file}`)));
  const named = new Set(templates.join('\n').match(/\b(TURNPIKE|ANTHROPIC)_[A-Z_]+\b/g));
  return [
    ...(appVersion === version ? [] : [`${chart}: appVersion is ${appVersion}, not ${version}`]),
    ...(check.errors ?? []).map(
      (fault) => `${chart}/values.yaml: ${fault.instancePath} ${fault.message}`,
    ),
    ...[...named]
      .filter((name) => !variables.includes(`'${name}'`))
      .map((name) => `${chart}: sets ${name}, which is no setting`),
  ];
}

function lintNginx(config) {
  const promised = ['proxy_buffering off;', 'gzip off;', 'proxy_http_version 1.1;'];
  const found = promised
    .filter((line) => !config.includes(line))
    .map((line) => `deploy/nginx.conf: no ${line}`);
  const nginx = findNginx();
  if (nginx === undefined) return found;
  const tried = spawnSync(nginx, ['-t', '-q', '-c', path.join(root, 'deploy/nginx.conf')], {
    encoding: 'utf8',
  });
  return tried.status === 0 ? found : [...found, tried.stderr];
}
