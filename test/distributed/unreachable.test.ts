import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { newDatabase } from '../support/database/new-database.js';
import { serverProgram } from '../support/processes/built-programs.js';
import { testRedisUrl } from '../support/processes/test-services.js';

const nowhere = '127.0.0.1:1';

// The services that can be reached are opened beside the other, and must not keep the process.
it.each([
  ['DATABASE_URL', 'api', `postgres://x@${nowhere}/x`],
  ['DATABASE_URL', 'worker', `postgres://x@${nowhere}/x`],
  ['REDIS_URL', 'api', `redis://${nowhere}`],
  ['REDIS_URL', 'worker', `redis://${nowhere}`],
  ['REDIS_URL', 'api', `redis+cluster://${nowhere}`],
])('a start that does not reach %s ends, in the role %s, for %s', async (variable, role, url) => {
  const database = await newDatabase();
  const environment = {
    PATH: process.env['PATH'],
    TURNPIKE_PORT: '0',
    TURNPIKE_ROLE: role,
    DATABASE_URL: database.url,
    REDIS_URL: testRedisUrl(),
    [variable]: url,
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
