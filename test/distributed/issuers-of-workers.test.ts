import { expect, it } from '@jest/globals';
import { useTokenIssuer } from '../support/access/token-issuer.js';
import { newStore } from '../support/database/test-store.js';
import { startServer } from '../support/processes/start-server.js';

const { environment: known } = useTokenIssuer();

it('a worker that does not know the issuers of its API does not start', async () => {
  const store = await newStore();
  const worker = (more: Record<string, string>) =>
    startServer({ store, environment: { TURNPIKE_ROLE: 'worker', ...more } });
  const api = await startServer({ store, environment: { TURNPIKE_ROLE: 'api', ...known } });
  await expect(worker({})).rejects.toThrow(
    /issuers idp, which this worker does not know\. Give the worker the same file in TURNPIKE_AUTH_FILE/,
  );
  await (await worker(known)).close();
  await api.close();
  // The API has no issuer any more: workers need none.
  await (await startServer({ store, environment: { TURNPIKE_ROLE: 'api' } })).close();
  await (await worker({})).close();
  await (await worker(known)).close();
  await store.close();
});
