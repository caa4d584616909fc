import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTokenIssuer, type TokenIssuer } from '../../../test/support/access/token-issuer.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { newFolder } from '../../../test/support/suite.js';
import { systemClock } from '../../platform/clock.js';
import { loadIssuers } from './auth-file.js';
import { openVerifier } from './open-verifier.js';
import { TokenError } from './token-error.js';

type Claims = Record<string, unknown>;

interface Provider {
  /** Fields of its entry, as the guide has them, beside its name, URL and roles. */
  entry: Record<string, string | string[] | Record<string, string>>;
  /** Claims of an access token as its documentation shows them; undefined: a claim that it does not have. */
  claims: Claims;
  alg?: 'RS256' | 'ES256';
  /** Header of its tokens beside `alg` and `kid`. */
  header?: Record<string, unknown>;
  /** The person, without the issuer's name. */
  person: string;
  /** A claim that makes it a token for somebody else. */
  foreign: Claims;
}

const uuid = '9f0c2a4e-6a1b-4f57-9c0e-0a4c2b7f6d11';
const plainJwt = { typ: 'JWT' };

/** By the names of the guide's table. */
const providers: Record<string, Provider> = {
  Auth0: {
    entry: { audiences: ['https://turnpike.acme.example'], groups: ['https://acme.example/roles'] },
    header: { typ: 'at+jwt' },
    claims: {
      sub: 'auth0|64b7f0c2a1d9e8f7b6c5d4e3',
      aud: ['https://turnpike.acme.example', 'https://acme.eu.auth0.com/userinfo'],
      azp: 'mQ2xVbN8kLp4RtY7',
      scope: 'openid profile offline_access',
      'https://acme.example/roles': ['admins', 'staff'],
    },
    person: 'auth0|64b7f0c2a1d9e8f7b6c5d4e3',
    foreign: { aud: ['https://other.acme.example'] },
  },
  Okta: {
    entry: { audiences: ['api://turnpike'], principal: 'uid' },
    header: { typ: undefined },
    claims: {
      ver: 1,
      jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMFD6uX1V8',
      aud: 'api://turnpike',
      cid: '0oa1gjkmfl2Wo9Tqv0g4',
      uid: '00u1gjkm0gdqJLJqf0g4',
      scp: ['openid', 'profile'],
      sub: 'ann@acme.example',
      auth_time: 1_700_000_000,
      groups: ['Everyone', 'admins'],
    },
    person: '00u1gjkm0gdqJLJqf0g4',
    foreign: { aud: 'api://default' },
  },
  Entra: {
    entry: { audiences: [uuid], principal: ['tid', 'oid'], groups: 'roles' },
    header: plainJwt,
    claims: {
      aud: uuid,
      aio: 'AXQAi/8IAAAA',
      azp: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      azpacr: '0',
      name: 'Ann Ex',
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      preferred_username: 'ann@acme.example',
      rh: 'I',
      roles: ['admins'],
      scp: 'access_as_user',
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      tid: '72f988bf-86f1-41af-91ab-2d7cd011db47',
      uti: 'fqiBqXLPj0eQa82S-IYFAA',
      ver: '2.0',
    },
    person: '72f988bf-86f1-41af-91ab-2d7cd011db47:690222be-ff1a-4d56-abd1-7e4f7d38e474',
    foreign: { aud: '00000003-0000-0000-c000-000000000000' },
  },
  Keycloak: {
    entry: { audiences: ['turnpike'], groups: ['resource_access', 'my.app', 'roles'] },
    header: plainJwt,
    claims: {
      auth_time: 1_700_000_000,
      jti: uuid,
      aud: ['turnpike', 'account'],
      sub: uuid,
      typ: 'Bearer',
      azp: 'my.app',
      sid: uuid,
      acr: '1',
      'allowed-origins': ['https://acme.example'],
      realm_access: { roles: ['offline_access', 'uma_authorization'] },
      resource_access: { 'my.app': { roles: ['admins'] }, account: { roles: ['view-profile'] } },
      scope: 'openid email profile',
      preferred_username: 'ann',
    },
    person: uuid,
    foreign: { aud: 'account' },
  },
  Zitadel: {
    entry: { audiences: ['276453823823872'], groups: 'urn:zitadel:iam:org:project:roles' },
    header: plainJwt,
    claims: {
      aud: ['276453823823873@turnpike', '276453823823872'],
      client_id: '276453823823873@turnpike',
      jti: 'V2_276453823823874-at_276453823823875',
      sub: '165460784409738965',
      'urn:zitadel:iam:org:project:roles': { admins: { '276453823823871': 'acme.zitadel.cloud' } },
    },
    person: '165460784409738965',
    foreign: { aud: ['276453823823999'] },
  },
  Clerk: {
    entry: {
      audience_claim: 'azp',
      audiences: ['https://acme.example'],
      groups: ['o', 'rol'],
    },
    header: plainJwt,
    claims: {
      aud: undefined,
      azp: 'https://acme.example',
      fva: [3, -1],
      o: { id: 'org_2xG', rol: 'admins', slg: 'acme', per: 'read' },
      pla: 'o:free',
      sid: 'sess_2xGfMk',
      sts: 'active',
      sub: 'user_2xGfMkV9',
      v: 2,
    },
    person: 'user_2xGfMkV9',
    foreign: { azp: 'https://other.example' },
  },
  Cognito: {
    entry: {
      audience_claim: 'client_id',
      audiences: ['1example23456789'],
      required: { token_use: 'access' },
      groups: 'cognito:groups',
    },
    header: { typ: undefined },
    claims: {
      aud: undefined,
      sub: uuid,
      'cognito:groups': ['admins'],
      version: 2,
      client_id: '1example23456789',
      origin_jti: uuid,
      event_id: uuid,
      token_use: 'access',
      scope: 'aws.cognito.signin.user.admin',
      auth_time: 1_700_000_000,
      jti: uuid,
      username: uuid,
    },
    person: uuid,
    foreign: { token_use: 'id' },
  },
  Supabase: {
    entry: { audiences: ['authenticated'], groups: 'app_metadata.groups' },
    alg: 'ES256',
    header: plainJwt,
    claims: {
      aud: 'authenticated',
      sub: uuid,
      email: 'ann@acme.example',
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'], groups: ['admins'] },
      user_metadata: { groups: ['others'] },
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: 1_700_000_000 }],
      session_id: uuid,
      is_anonymous: false,
    },
    person: uuid,
    foreign: { aud: 'anon' },
  },
  Firebase: {
    entry: { audiences: ['acme-app'], groups: 'team' },
    header: plainJwt,
    claims: {
      aud: 'acme-app',
      auth_time: 1_700_000_000,
      user_id: 'Zk3vN8qPxTgR',
      sub: 'Zk3vN8qPxTgR',
      email: 'ann@acme.example',
      email_verified: true,
      firebase: { identities: { email: ['ann@acme.example'] }, sign_in_provider: 'password' },
      team: 'admins',
    },
    person: 'Zk3vN8qPxTgR',
    foreign: { aud: 'other-app' },
  },
  WorkOS: {
    entry: { audience_claim: 'iss', groups: 'role' },
    header: { typ: undefined },
    claims: {
      aud: undefined,
      sub: 'user_01HBEQKA6K4QJAS93VPE39W1JT',
      sid: 'session_01HQSXZGF8FHF7A9ZZFCW4387R',
      jti: '01HQSXZXPPFPKMDD32RKTFY6PV',
      org_id: 'org_01HRDMC6CM357W30QMHMQ96Q0S',
      role: 'admins',
      roles: ['admins'],
      permissions: ['posts:read'],
    },
    person: 'user_01HBEQKA6K4QJAS93VPE39W1JT',
    foreign: { iss: 'https://api.other.example' },
  },
};

const guide = readFileSync(
  new URL('../../../docs/operate/log-in-reference.md', import.meta.url),
  'utf8',
);

describe('the providers of the guide', () => {
  let idp: TokenIssuer;
  beforeAll(async () => {
    idp = await startTokenIssuer();
  });
  afterAll(() => idp.close());

  async function openOf({ entry }: Provider) {
    const roles = [{ group: '*' }, { group: 'admins', scopes: ['turns', 'admin'] }];
    const audiences = [idp.url];
    const issuer = { name: 'idp', issuer_url: idp.url, audiences, ...entry, roles };
    const file = path.join(newFolder(), 'auth.yaml');
    // YAML takes JSON.
    await writeFile(file, JSON.stringify({ issuers: [issuer] }));
    const deps = { clock: systemClock, logger: silentLogger };
    return openVerifier(await loadIssuers(file), { authPrivateHosts: [] }, deps);
  }

  it('are those whose tokens are tried here', () => {
    const table = guide.slice(guide.indexOf('## Providers'), guide.indexOf('## Errors'));
    const rows = [...table.matchAll(/^\| (\w+) \| /gm)].map(([, name]) => name);
    expect(rows.filter((name) => name !== 'provider')).toEqual(Object.keys(providers));
    for (const [name, { entry }] of Object.entries(providers)) {
      const row = new RegExp(`^\\| ${name} \\| .*$`, 'm').exec(table)?.[0] ?? '';
      const { audience_claim: claim, required } = entry;
      if (claim !== undefined)
        expect(row).toContain(`audience_claim: ${JSON.stringify(claim).slice(1, -1)}`);
      if (required !== undefined) expect(row).toContain('required: { token_use: access }');
    }
  });

  it.each(Object.entries(providers))('%s: who it is, and the role', async (_name, provider) => {
    await idp.rotate(provider.alg);
    const verifier = await openOf(provider);
    const { claims, header = {}, foreign, person } = provider;
    const { principalId, scopes } = await verifier.verify(await idp.sign(claims, { header }));
    expect(principalId).toBe(`idp:${person}`);
    expect([...scopes].sort()).toEqual(['admin', 'approvals', 'turns']);
    const other = await idp.sign({ ...claims, ...foreign }, { header });
    await expect(verifier.verify(other)).rejects.toBeInstanceOf(TokenError);
  });
});
