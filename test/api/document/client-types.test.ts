import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientTypes } from '../../support/document/client-types.js';
import { differingTypes } from '../../support/document/compare-types.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';

describe('types that openapi-typescript makes of the document', () => {
  let server: TestServer;
  let document: object;
  beforeAll(async () => {
    server = await startServer();
    document = (await server.client.get('/docs-json')).body;
  });
  afterAll(() => server.close());

  it('are those of the typed client', async () => {
    const wrong = { "schemas['Usage']": 'client.KeyView' };
    expect(await differingTypes(document, { ...clientTypes, ...wrong })).toEqual([
      "schemas['Usage']",
    ]);
  });
});
