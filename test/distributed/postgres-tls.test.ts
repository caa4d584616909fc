import { chmod, chown, copyFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { expectSoon } from '../support/expect-soon.js';
import { writeCertificate, type CertificateFiles } from '../support/processes/own-certificate.js';
import { startDeployment } from '../support/processes/start-deployment.js';
import { newFolder, useShared } from '../support/suite.js';

let files: CertificateFiles;
const deployment = useShared(startDeployment);
const folder = newFolder();
beforeAll(async () => {
  files = await writeCertificate(folder);
  await speakTls();
});

async function speakTls(): Promise<void> {
  const { databaseUrl } = deployment.services;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ data: string }>(
    `select setting as data from pg_settings where name = 'data_directory'`,
  );
  const data = rows[0]?.data ?? '';
  const { uid, gid } = await stat(data);
  for (const [from, to] of [
    [files.certificate, 'server.crt'],
    [files.key, 'server.key'],
  ] as const) {
    const file = path.join(data, to);
    await copyFile(from, file);
    await chown(file, uid, gid);
    await chmod(file, 0o600);
  }
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  await client.end();
  await expectSoon(async () => {
    const encrypted = new Client({
      connectionString: databaseUrl,
      ssl: { rejectUnauthorized: false },
    });
    await encrypted.connect();
    await encrypted.end();
  });
}

const start = (parameters: string) =>
  deployment.start('api', { DATABASE_URL: `${deployment.services.databaseUrl}?${parameters}` });

it.each([
  [
    'verifies the server by a given authority',
    () => `sslmode=verify-full&sslrootcert=${files.certificate}`,
  ],
  ['is encrypted alone where no more is asked', () => 'sslmode=require'],
])('a connection %s', async (_what, parameters) => {
  const { client, stderr } = await start(parameters());
  await client.createSession(deployment.projectRoot);
  expect(stderr()).not.toContain('WARNING');
  const asked = new Client({ connectionString: deployment.services.databaseUrl });
  await asked.connect();
  const { rows } = await asked.query(
    `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'turnpike'`,
  );
  await asked.end();
  expect(rows).toEqual([{ ssl: true }]);
});

it('a server that nobody vouches for is refused where it is to be verified', async () => {
  await expect(start('sslmode=verify-full')).rejects.toThrow(
    /DATABASE_URL names 127\.0\.0\.1:\d+, which cannot be used: self.signed certificate/,
  );
});
