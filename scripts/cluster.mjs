/** `npm run cluster [-- --port N]`: two APIs behind nginx and two workers, on this machine. */
import { parseArgs } from 'node:util';
import { startCluster } from './cluster/start-cluster.mjs';

// Listens from the start, so that everything that was started is stopped.
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve);
});

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  const port = parsePort();
  console.error('Starting Redis, PostgreSQL, two APIs, nginx and two workers …');
  const cluster = await startCluster({
    port,
    environment: model(),
    log: (line) => console.error(line),
  });
  console.log(`
Turnpike cluster at ${cluster.url}${cluster.hasGateway ? ' (nginx)' : ' (no nginx here: the first API)'}
  APIs     ${cluster.apis.map(({ url }) => url).join('  ')}
  workers  ${cluster.workers.map(({ pid }) => `process ${pid}`).join('  ')}

  TURNPIKE_URL=${cluster.url} npm run turn -- "Hello"
  kill -9 a worker, and watch its turn go on.
`);
  await interrupted;
  console.error('Stopping …');
  await cluster.stop();
}

function parsePort() {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '4400' } } });
  const port = Number(values.port);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`--port is a number from 1 to 65535, not ${values.port}`);
}

/** The variables of this environment that configure the model. */
function model() {
  const names = Object.keys(process.env).filter(
    (name) => /^TURNPIKE_(?!PORT|ROLE|URL)/.test(name) || name === 'ANTHROPIC_API_KEY',
  );
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}
