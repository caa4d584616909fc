/** `npm run cluster [-- --port N]`: two APIs behind nginx and two workers, on this machine. */
import { parseArgs } from 'node:util';
import { startCluster } from './cluster/start-cluster.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '4400' } } });

// From the first moment on: whatever was started by then is stopped.
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
});

console.error('Starting Redis, PostgreSQL, two APIs, nginx and two workers …');
const cluster = await startCluster({
  port: Number(values.port),
  environment: model(),
  say: (line) => console.error(line),
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

/** What of this environment says where the model is. */
function model() {
  const names = Object.keys(process.env).filter(
    (name) => /^TURNPIKE_(?!PORT|ROLE|URL)/.test(name) || name === 'ANTHROPIC_API_KEY',
  );
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}
