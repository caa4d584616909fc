import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';

/** Lists and deeds whose filters, written wrongly, would show or do more than was meant. */
const routes: [method: 'GET' | 'POST' | 'DELETE', path: string, field: string][] = [
  ['GET', '/api/harness/turns?staus=failed', 'staus'],
  ['GET', '/api/admin/turns?user=ann', 'user'],
  ['GET', '/api/harness/sessions?tittle=a', 'tittle'],
  ['GET', '/api/harness/approvals?session=sess_1', 'session'],
  ['GET', '/api/harness/usage/days?everybody=true', 'everybody'],
  ['GET', '/api/harness/feedback?agents=A', 'agents'],
  ['GET', '/api/admin/audit?principal=ann', 'principal'],
  ['GET', '/api/admin/export?session=sess_1', 'session'],
  ['DELETE', '/api/admin/principals/nobody?project=true', 'project'],
];

describe('a query', () => {
  const server = useServer();
  let authorization: string;
  beforeAll(async () => {
    const scopes = ['admin', 'turns', 'approvals'] as const;
    const { secret } = await makeKey(server, { principal: 'ann', scopes });
    authorization = `Bearer ${secret}`;
  });

  it.each(routes)('of %s %s is refused for its wrong field', async (method, url, field) => {
    const response = await fetch(server.url + url, { method, headers: { authorization } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'INVALID_REQUEST',
        message: expect.stringContaining(`The query has no field "${field}"; its fields are `),
      },
    });
  });
});
