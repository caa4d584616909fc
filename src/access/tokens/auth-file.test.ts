import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../../../test/support/suite.js';
import { loadIssuers } from './auth-file.js';

const idp = `
issuers:
  - name: acme
    issuer_url: https://login.acme.example/
    audiences: [turnpike]
    roles:
      - group: '*'
`;

async function load(text: string) {
  const file = path.join(newFolder(), 'auth.yaml');
  await writeFile(file, text);
  return loadIssuers(file);
}

describe('the file of issuers', () => {
  it('has usual values for what it does not say', async () => {
    expect(await load(idp)).toEqual([
      {
        name: 'acme',
        issuerUrl: 'https://login.acme.example/',
        jwksUrl: undefined,
        audiences: ['turnpike'],
        audienceClaim: 'aud',
        algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'],
        principal: ['sub'],
        groups: 'groups',
        required: {},
        roles: [
          {
            group: '*',
            scopes: ['turns', 'approvals'],
            limits: {},
            projectRoots: [],
            agents: undefined,
            approves: [],
          },
        ],
      },
    ]);
  });

  it('says which client people log in to the console with', async () => {
    const client = (more = '') => `${idp}    console:\n      client_id: console\n${more}`;
    const usual = { clientId: 'console', clientAuth: 'basic', scopes: ['openid', 'profile'] };
    const [issuer] = await load(client());
    expect(issuer?.console).toEqual({ ...usual, required: {} });
    const strict = `${client('      required: { hd: acme }\n')}    required: { token_use: access }\n`;
    expect((await load(strict))[0]?.console?.required).toEqual({ hd: 'acme' });
    const ofIssuer = `${client()}    required: { tid: acme }\n`;
    expect((await load(ofIssuer))[0]?.console?.required).toEqual({ tid: 'acme' });
    // An audience of access tokens that is the console's client: its ID tokens would be access tokens.
    await expect(load(client().replace('[turnpike]', '[turnpike, console]'))).rejects.toThrow(
      'takes ID tokens of the console as access tokens',
    );
    await expect(load(client('      scopes: [profile]\n'))).rejects.toThrow(
      'must have the scope openid',
    );
  });

  it('is none where none is named', async () => {
    expect(await loadIssuers(undefined)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['a field that is unknown', 'audiences:', 'audience:'],
    ['an issuer by http', 'https://login', 'http://login'],
    ['a password in the URL', 'https://login', 'https://me:secret@login'],
    ['a name of the server', 'name: acme', 'name: local'],
    ['a name with a colon', 'name: acme', 'name: "a:b"'],
    ['no audience', '[turnpike]', '[]'],
    ['no role', "- group: '*'", '[]'],
    ['everybody as an administrator', "group: '*'", "group: '*'\n        scopes: [turns, admin]"],
    ['everybody as a reader of metrics', "group: '*'", "group: '*'\n        scopes: [metrics]"],
    ['everybody as an approver', "group: '*'", "group: '*'\n        approves: [release]"],
    ['the scope that makes page tokens', "group: '*'", 'group: a\n        scopes: [tokens]'],
    ['a shared secret', 'roles:', 'algorithms: [HS256]\n    roles:'],
    ['a person named by an address', 'roles:', 'principal: email\n    roles:'],
    ['a folder that is not absolute', "group: '*'", "group: '*'\n        project_roots: [here]"],
    ['a limit below none', "group: '*'", "group: '*'\n        limits: { usd_per_day: -1 }"],
  ])('does not have %s', async (_what, from, to) => {
    const text = idp.replace(from, to);
    expect(text).not.toBe(idp);
    await expect(load(text)).rejects.toThrow(
      /^TURNPIKE_AUTH_FILE is not valid:\n {2}- .*auth\.yaml:\d+: issuers/,
    );
  });

  it('does not have two issuers of one name, or one URL twice', async () => {
    const [, entry = ''] = idp.split('issuers:\n');
    await expect(load(idp + entry)).rejects.toThrow('two issuers with the name acme');
    const other = entry.replace('name: acme', 'name: other');
    await expect(load(idp + other)).rejects.toThrow('two issuers with the issuer_url');
  });

  it('is missed where it cannot be read', async () => {
    await expect(loadIssuers('/no/such/file.yaml')).rejects.toThrow('cannot be read (ENOENT)');
  });
});
