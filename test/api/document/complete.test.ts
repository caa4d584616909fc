import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { clientTypes } from '../../support/document/client-types.js';
import { differingTypes } from '../../support/document/compare-types.js';
import { useServer } from '../../support/processes/start-server.js';
import { asDocument, operationsOf, type ApiDocument } from '../../support/document/api-document.js';

describe('the document of the API', () => {
  let document: ApiDocument;
  const server = useServer();
  beforeAll(async () => {
    document = asDocument((await server.client.get('/docs-json')).body);
  });

  it('is valid OpenAPI 3.2', async () => {
    const { valid, errors } = await new Validator().validate({ ...document });
    expect([document.openapi, errors, valid]).toEqual(['3.2.0', undefined, true]);
  });

  it('is served as OpenAPI 3.1, with every route, for generators that know no 3.2', async () => {
    const older = asDocument((await server.client.get('/docs-json/3.1')).body);
    const { valid, errors } = await new Validator().validate({ ...older });
    expect([older.openapi, errors, valid]).toEqual(['3.1.1', undefined, true]);
    expect(JSON.stringify(older)).not.toContain('itemSchema');
    expect(Object.keys(older.paths)).toEqual(Object.keys(document.paths));
    const stream = older.paths['/api/harness/turns/{id}/events']?.['get'];
    expect(stream?.responses['200']?.content?.['text/event-stream']).toMatchObject({
      schema: { type: 'string' },
    });
  });

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

  it('has the errors that any route may give, in the shape of its wire', () => {
    const guarded = operationsOf(document).filter(
      ({ operation }) => operation.security === undefined,
    );
    const lacking = guarded.filter(({ operation: { responses, requestBody } }) => {
      const expected = [
        401,
        403,
        429,
        500,
        503,
        ...(requestBody === undefined ? [] : [400, 408, 413, 415]),
      ];
      return expected.some((status) => responses[status] === undefined);
    });
    expect(lacking.map(({ route }) => route)).toEqual([]);
    const shapeOf = (route: string): string | undefined => {
      const found = operationsOf(document).find((one) => one.route === route);
      return JSON.stringify(found?.operation.responses['429']?.content);
    };
    expect(shapeOf('get /api/harness/tools')).toContain('ErrorEnvelopeDto');
    expect(shapeOf('get /agents')).toContain('application/problem+json');
    expect(shapeOf('get /api/oracle/history')).toContain('OracleErrorDto');
  });

  it('describes streams frame by frame, with recordings', () => {
    const streams = operationsOf(document).flatMap(({ route, operation }) => {
      const stream = operation.responses['200']?.content?.['text/event-stream'];
      return stream === undefined ? [] : [{ route, stream }];
    });
    expect(streams).toHaveLength(13);
    for (const { route, stream } of streams) {
      const recorded = Object.keys(stream.examples ?? {});
      expect([route, typeof stream.itemSchema, recorded]).toEqual([
        route,
        'object',
        ['think-read-answer'],
      ]);
    }
  });

  it('names the codes of an error, for a program', () => {
    const found = operationsOf(document).find(({ route }) => route === 'post /api/harness/turn');
    const narrowed = JSON.stringify(found?.operation.responses['429']?.content);
    for (const code of ['QUEUE_FULL', 'RATE_LIMITED', 'BUDGET_EXHAUSTED']) {
      expect(narrowed).toContain(`"${code}"`);
    }
    expect(narrowed).not.toContain('SESSION_LIMIT');
  });

  it('makes the types of the typed client with openapi-typescript', async () => {
    const wrong = { "schemas['Usage']": 'client.KeyView' };
    expect(await differingTypes(document, { ...clientTypes, ...wrong })).toEqual([
      "schemas['Usage']",
    ]);
  });
});
