import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRehearsal } from '../../rehearsal/start-rehearsal.js';
import { newBareDatabase, type NewDatabase } from '../support/database/new-database.js';
import { KeyedClient } from '../support/clients/keyed-client.js';
import { podsOf, type Pod } from '../support/kubernetes/pods.js';
import { renderChart } from '../support/kubernetes/render-chart.js';
import { inPod, podEnvironment } from '../support/kubernetes/run-pod.js';
import { runProgram } from '../support/processes/run-program.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { testRedisUrl } from '../support/processes/test-services.js';
import { newFolder } from '../support/suite.js';

describe('the pods of the chart, on a read-only root', () => {
  let database: NewDatabase;
  let model: Awaited<ReturnType<typeof startRehearsal>>;
  let api: Pod;
  let worker: Pod;
  let migrations: Pod;
  const running: ServerProcess[] = [];
  const projects = newFolder();
  beforeAll(async () => {
    database = await newBareDatabase();
    model = await startRehearsal();
    const rendered = await renderChart({ secret: { existingSecret: 'turnpike' } });
    [api, worker, migrations] = podsOf(rendered) as [Pod, Pod, Pod];
  });
  afterAll(async () => {
    for (const { child, kill } of running) if (child.exitCode === null) await kill('SIGKILL');
    await model.close();
    await database.drop();
  });

  /** Ports of a pod are its own; here they are free ones. */
  const environment = (pod: Pod): Record<string, string> =>
    podEnvironment(
      pod,
      { DATABASE_URL: database.url, REDIS_URL: testRedisUrl(), ANTHROPIC_API_KEY: 'sk-ant-test' },
      {
        TURNPIKE_PORT: '0',
        TURNPIKE_METRICS_PORT: '0',
        TURNPIKE_REDIS_PREFIX: `pod-${process.pid}`,
        TURNPIKE_PROVIDER_BASE_URL: model.url,
        TURNPIKE_EGRESS_ALLOW: model.url,
      },
    );
  const commandOf = (pod: Pod): readonly string[] => pod.spec.containers[0]?.command ?? [];
  const start = async (pod: Pod): Promise<ServerProcess> => {
    const started = await startProcess(environment(pod), inPod(commandOf(pod), { projects }));
    running.push(started);
    return started;
  };
  /** A signal to bubblewrap would end it, and not reach the server that it started. */
  const stop = async ({ child }: ServerProcess): Promise<number | null> => {
    const exited = once(child, 'exit') as Promise<[number | null]>;
    const started = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    process.kill(Number(started), 'SIGTERM');
    const [code] = await exited;
    return code;
  };
  const run = (pod: Pod, command: readonly string[]) =>
    runProgram(inPod(command, { projects }), [], environment(pod));

  it('migrate, make the first key, run a turn that writes, and stop in order', async () => {
    expect(await run(migrations, commandOf(migrations))).toMatchObject({ code: 0, stderr: '' });
    await expect(start(api)).rejects.toThrow('there is no API key that is taken');
    const working = await start(worker);
    const create = ['node', 'dist/cli.js', 'keys', 'create', '--principal', 'admin', '--json'];
    const made = await run(worker, create);
    expect(made).toMatchObject({ code: 0 });
    const { secret } = JSON.parse(made.stdout) as { secret: string };
    const serving = await start(api);
    const client = new KeyedClient(serving.url, secret);
    const created = await client.send('POST', '/api/harness/session/create', {
      projectRoot: '/projects/admin',
      mode: 'acceptEdits',
    });
    expect(created.status).toBe(200);
    const { sessionId } = created.body['session'] as { sessionId: string };
    const message = '[[tool=write {"file_path":"made.txt","content":"Hello"}]]';
    const turn = await client.send(
      'POST',
      '/api/harness/turn',
      { sessionId, message },
      { accept: 'application/json' },
    );
    expect(turn).toMatchObject({ status: 200 });
    expect(await readFile(path.join(projects, 'admin/made.txt'), 'utf8')).toBe('Hello');
    expect(await stop(serving)).toBe(0);
    expect(await stop(working)).toBe(0);
  });

  it('cannot write anywhere else', async () => {
    const touch = (file: string) => run(worker, ['sh', '-c', `echo x > ${file}`]);
    for (const file of ['/app/x', '/app/dist/main.js', '/usr/x', '/x', '/home']) {
      expect(await touch(file)).toMatchObject({ code: 2 });
    }
    for (const file of ['/tmp/x', '/projects/x'])
      expect(await touch(file)).toMatchObject({ code: 0 });
  });
});
