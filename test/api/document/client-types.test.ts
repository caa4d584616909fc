import { beforeAll, describe, expect, it } from '@jest/globals';
import { clientTypes } from '../../support/document/client-types.js';
import { differingTypes } from '../../support/document/compare-types.js';
import { useServer } from '../../support/processes/start-server.js';

describe('types that openapi-typescript makes of the document', () => {
  let document: object;
  const server = useServer();
  beforeAll(async () => {
    document = (await server.client.get('/docs-json')).body;
  });

  it('are those of the typed client', async () => {
    const wrong = { "schemas['Usage']": 'client.KeyView' };
    expect(await differingTypes(document, { ...clientTypes, ...wrong })).toEqual([
      "schemas['Usage']",
    ]);
  });
});
