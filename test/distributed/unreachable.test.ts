import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { newDatabase } from '../support/database/new-database.js';
import { serverProgram } from '../support/processes/built-programs.js';
import { testRedisUrl } from '../support/processes/test-services.js';

const nowhere = '127.0.0.1:1';

// The services that can be reached are opened beside the other, and must not keep the process.
it.each([
  ['DATABASE_URL', 'api'],
  ['DATABASE_URL', 'worker'],
  ['REDIS_URL', 'api'],
  ['REDIS_URL', 'worker'],
])('a start that does not reach %s ends, in the role %s, and says so', async (variable, role) => {
  const database = await newDatabase();
  const environment = {
    PATH: process.env['PATH'],
    TURNPIKE_PORT: '0',
    TURNPIKE_ROLE: role,
    DATABASE_URL: database.url,
    REDIS_URL: testRedisUrl(),
    [variable]: variable === 'REDIS_URL' ? `redis://${nowhere}` : `postgres://x@${nowhere}/x`,
  };
  const [program, ...first] = serverProgram;
  const child = spawn(program, first, { env: environment });
  let printed = '';
  child.stderr.on('data', (text: Buffer) => (printed += text.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(1);
  expect(printed).toContain(`${variable} names ${nowhere}, which cannot be used`);
  await database.drop();
});
