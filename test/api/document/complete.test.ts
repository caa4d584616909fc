import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { asDocument, operationsOf, type ApiDocument } from '../../support/document/api-document.js';

describe('the document of the API', () => {
  let server: TestServer;
  let document: ApiDocument;
  beforeAll(async () => {
    server = await startServer();
    document = asDocument((await server.client.get('/docs-json')).body);
  });
  afterAll(() => server.close());

  it('has a schema for every answer, parameter and body', () => {
    const untyped = operationsOf(document).flatMap(({ route, operation }) => {
      const { responses, parameters = [], requestBody } = operation;
      const answers = Object.entries(responses).filter(([status]) => status !== '204');
      const contents = [
        ...answers.map(([status, { content }]) => ({ of: status, content })),
        ...(requestBody === undefined ? [] : [{ of: 'body', content: requestBody.content }]),
      ];
      const missing = contents.filter(
        ({ content = {} }) =>
          Object.keys(content).length === 0 ||
          Object.values(content).some(
            ({ schema, itemSchema }) => (schema ?? itemSchema) === undefined,
          ),
      );
      return [
        ...missing.map(({ of }) => `${route}: ${of}`),
        ...parameters
          .filter(({ schema }) => schema === undefined)
          .map(({ name }) => `${route}: ${name}`),
      ];
    });
    expect(untyped).toEqual([]);
  });
});
