import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { explainStartFailure } from './explain-start-failure.js';

it('says that the address is another machine’s', async () => {
  const listening = createServer().listen(0, '192.0.2.1');
  const [failure] = await once(listening, 'error');
  expect(explainStartFailure(failure, { TURNPIKE_HOST: '192.0.2.1' })).toMatch(
    /^TURNPIKE_HOST is "192\.0\.2\.1", which is no address of this machine\. Use 127\.0\.0\.1/,
  );
});
