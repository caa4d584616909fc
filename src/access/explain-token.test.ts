import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startTokenIssuer } from '../../test/support/access/token-issuer.js';
import { silentLogger } from '../../test/support/silent-logger.js';
import { newFolder, useShared } from '../../test/support/suite.js';
import { explainToken } from './explain-token.js';

describe('the explanation of a token', () => {
  const file = path.join(newFolder(), 'auth.yaml');
  const idp = useShared(async () => {
    const started = await startTokenIssuer();
    const roles = [
      { group: 'staff', agents: ['READER'] },
      { group: 'admins', scopes: ['admin'] },
    ];
    const entry = { name: 'idp', issuer_url: started.url, audiences: ['turnpike'], roles };
    await writeFile(file, JSON.stringify({ issuers: [entry] }));
    return started;
  });
  const explain = (token: string) =>
    explainToken(token, { authFile: file, authPrivateHosts: [] }, silentLogger);

  it('says who the person is, and by which roles what may be done', async () => {
    const token = await idp.sign({ groups: ['staff', 'sales'] });
    expect(await explain(token)).toMatchObject({
      issuer: 'idp',
      claims: { sub: 'ann', aud: 'turnpike' },
      groups: ['staff', 'sales'],
      roles: ['staff'],
      grant: { principalId: 'idp:ann', scopes: ['turns', 'approvals'], agents: ['READER'] },
    });
  });

  it('says what is wrong, with the claims that were seen', async () => {
    const token = await idp.sign({ aud: 'shop', groups: ['staff'] });
    const explained = await explain(token);
    expect(explained).toMatchObject({
      reason: 'WRONG_AUDIENCE',
      problem: expect.stringContaining('(aud)'),
      claims: { aud: 'shop' },
      roles: ['staff'],
    });
    expect(explained.grant).toBeUndefined();
  });

  it('knows no issuer of a text that is no token', async () => {
    expect(await explain('nothing')).toEqual({ reason: 'MALFORMED', problem: expect.any(String) });
  });

  it('says why the keys of the issuer are not there', async () => {
    const token = await idp.sign({ groups: ['staff'] });
    idp.isAway = true;
    expect(await explain(token)).toMatchObject({
      reason: 'ISSUER_UNAVAILABLE',
      problem: expect.stringContaining('status 503'),
    });
  });
});
