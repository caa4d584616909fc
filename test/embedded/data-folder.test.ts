import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { given } from '../support/processes/test-services.js';
import { startProcess } from '../support/processes/start-process.js';

it('frees the data folder with its process, at once; a living owner keeps it', async () => {
  const folder = await mkdtemp(path.join(given('TEST_DATABASES'), 'new-'));
  const environment = { TURNPIKE_DATA_DIR: path.join(folder, 'data') };
  const first = await startProcess(environment);
  await expect(startProcess(environment)).rejects.toThrow(
    `is in use: process ${first.child.pid} owns it and serves ${first.url}`,
  );
  await first.kill('SIGKILL');
  const second = await startProcess(environment);
  expect((await second.client.get('/ready')).body).toMatchObject({ ready: true });
  await second.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});
