import path from 'node:path';
import * as z from 'zod/mini';
import { approverRoles } from '../../governance/permissions/approver-rules.js';
import { compact } from '../../platform/compact.js';
import { isLoopbackHttp } from '../../platform/net/addresses.js';
import { loadFile } from '../../platform/parsing/load-file.js';
import { parseYaml } from '../../platform/parsing/parse-text.js';
import { parseValue } from '../../platform/parsing/parse-value.js';
import { checkedBy, fieldsOf, filledText, wholeNumber } from '../../platform/parsing/shapes.js';
import { type KeyScope, type PrincipalLimits } from '../../storage/governance-schema.js';

/** Algorithms of signatures that may be allowed: none of them works with a shared secret. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
] as const;
const usualAlgorithms = ['RS256', 'ES256', 'PS256', 'EdDSA'] as const;

/** Scopes that a role may give: page tokens are made by keys. */
const roleScopes = [
  'turns',
  'approvals',
  'admin',
  'texts',
  'metrics',
] as const satisfies readonly KeyScope[];
type RoleScope = (typeof roleScopes)[number];

/** Scopes that everybody with a token never has by the group `*` alone. */
const namedScopes: readonly RoleScope[] = ['admin', 'texts', 'metrics'];

/** Principals of the server itself, which no issuer may look like. */
const reservedNames = ['local', 'anonymous', 'default'];

/** A group of people, with its rights. */
export interface Role {
  /** Name of the group as it is in the token; `*`: everybody who has a token of this issuer. */
  group: string;
  scopes: readonly KeyScope[];
  limits: PrincipalLimits;
  projectRoots: readonly string[];
  /** Names of the agents that may be used; undefined: all. */
  agents: readonly string[] | undefined;
  /** Roles in which its people may decide about calls of others. */
  approves: readonly string[];
}

/** The client of an identity provider that `turnpike login` is. */
export interface CliClient {
  clientId: string;
  scopes: readonly string[];
  /** Asked for as the parameter `audience`; undefined: it is not sent. */
  audience: string | undefined;
  /** Asked for as the parameter `resource` (RFC 8707); undefined: it is not sent. */
  resource: string | undefined;
}

/** An identity provider whose tokens are taken. */
export interface Issuer {
  /** First part of its principals' ids. */
  name: string;
  /** The claim `iss`, byte for byte. */
  issuerUrl: string;
  /** Where its public keys are. Undefined: its discovery document says. */
  jwksUrl: string | undefined;
  /** The token is for one of these. */
  audiences: readonly string[];
  audienceClaim: string;
  algorithms: readonly string[];
  /** Claims that together name a person for ever. */
  principal: readonly string[];
  /** The claim with the groups, or its path: with dots, or as a list of names that may have some. */
  groups: string | readonly string[];
  /** Claims that must have these values. */
  required: Readonly<Record<string, string | number | boolean>>;
  roles: readonly Role[];
  /** Absent: nobody logs in on the command line. */
  cli?: CliClient;
  /** The client that people log in with to the console; absent: they do not. */
  console?: ConsoleClient;
}

/** The console as a client of an identity provider. */
export interface ConsoleClient {
  clientId: string;
  /** Absolute path of the file with its secret; absent: a public client. */
  clientSecretFile?: string;
  /** How the secret is sent. */
  clientAuth: 'basic' | 'post';
  scopes: readonly string[];
  /** Claims of an ID token that must have these values. */
  required: Readonly<Record<string, string | number | boolean>>;
}

const url = filledText('must be a URL').check(
  checkedBy((text) => {
    if (!URL.canParse(text)) return 'must be a URL';
    const parsed = new URL(text);
    if (parsed.username !== '' || parsed.password !== '') return 'must have no password in it';
    return parsed.protocol === 'https:' || isLoopbackHttp(parsed)
      ? undefined
      : 'must begin with https://; http is for a loopback address alone';
  }),
);
const name = filledText();
const names = z.array(name, 'must be a list').check(z.minLength(1, 'must have at least one'));
const amount = (max: number) => z.number().check(z.minimum(0, 'must be 0 or more'), z.maximum(max));

const limits = fieldsOf({
  requests_per_minute: z.optional(wholeNumber(0, 1e9)),
  concurrent_turns: z.optional(wholeNumber(0, 1e9)),
  tokens_per_day: z.optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  usd_per_day: z.optional(amount(1e9)),
});

const role = fieldsOf({
  group: name,
  scopes: z._default(z.array(z.enum(roleScopes), 'must be a list'), ['turns', 'approvals']),
  limits: z.optional(limits),
  project_roots: z.optional(
    z.array(
      name.check(
        checkedBy((root) => (path.isAbsolute(root) ? undefined : 'must be an absolute path')),
      ),
      'must be a list',
    ),
  ),
  agents: z.optional(names),
  approves: z._default(approverRoles, []),
}).check(
  checkedBy(({ group, approves }) =>
    group === '*' && approves.length > 0
      ? `gives everybody the approver role ${approves[0]}: name a group in place of '*'`
      : undefined,
  ),
  checkedBy(({ group, scopes }) => {
    const named = group === '*' ? namedScopes.find((scope) => scopes.includes(scope)) : undefined;
    return named && `gives everybody the scope ${named}: name a group in place of '*'`;
  }),
);

const cli = fieldsOf({
  client_id: name,
  scopes: z._default(names, ['openid', 'offline_access']),
  audience: z.optional(name),
  resource: z.optional(url),
});

const required = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], 'must be a text, a number, true or false'),
  'must be a map',
);

const consoleClient = fieldsOf({
  client_id: name,
  client_secret_file: z.optional(name),
  client_auth: z._default(z.enum(['basic', 'post']), 'basic'),
  scopes: z
    ._default(names, ['openid', 'profile'])
    .check(
      checkedBy((scopes) => (scopes.includes('openid') ? undefined : 'must have the scope openid')),
    ),
  required: z.optional(required),
});

const issuer = fieldsOf({
  name: name.check(
    z.regex(/^[a-z][a-z0-9-]{0,31}$/, 'must have 1 to 32 of a-z 0-9 -, a letter first'),
    checkedBy((text) =>
      reservedNames.includes(text) ? 'is a name of the server itself' : undefined,
    ),
  ),
  issuer_url: url,
  jwks_url: z.optional(url),
  audiences: names,
  audience_claim: z._default(name, 'aud'),
  algorithms: z._default(
    z.array(z.enum(algorithms), 'must be a list').check(z.minLength(1, 'must have at least one')),
    [...usualAlgorithms],
  ),
  principal: z
    ._default(
      z.pipe(
        z.union([name, names], 'must be a claim, or a list of claims'),
        z.transform((claims) => [claims].flat()),
      ),
      ['sub'],
    )
    .check(
      checkedBy((claims) =>
        claims.includes('email')
          ? 'must not be email, which can be given to somebody else: use sub'
          : undefined,
      ),
    ),
  groups: z._default(
    z.union([name, names], 'must be the name of a claim, or the list of names that leads to it'),
    'groups',
  ),
  required: z._default(required, {}),
  roles: z.array(role, 'must be a list').check(z.minLength(1, 'must have at least one')),
  cli: z.optional(cli),
  console: z.optional(consoleClient),
}).check(
  checkedBy(({ audiences, console: client }) =>
    client !== undefined && audiences.includes(client.client_id)
      ? 'takes ID tokens of the console as access tokens: give console.client_id a client that is not in audiences'
      : undefined,
  ),
);

const authFile = fieldsOf({
  issuers: z.array(issuer, 'must be a list').check(
    z.minLength(1, 'must have at least one'),
    checkedBy(
      (issuers) =>
        repeated(
          issuers.map((one) => one.name),
          'name',
        ) ??
        repeated(
          issuers.map((one) => one.issuer_url),
          'issuer_url',
        ),
    ),
  ),
});

/** The issuers of `TURNPIKE_AUTH_FILE`. @throws FileInvalidError. */
export async function loadIssuers(file: string | undefined): Promise<readonly Issuer[]> {
  if (file === undefined) return [];
  const { issuers } = await loadFile(file, {
    variable: 'TURNPIKE_AUTH_FILE',
    parseText: parseYaml,
    check: (value) => parseValue(authFile, value),
  });
  return issuers.map((one) => ({
    name: one.name,
    issuerUrl: one.issuer_url,
    jwksUrl: one.jwks_url,
    audiences: one.audiences,
    audienceClaim: one.audience_claim,
    algorithms: one.algorithms,
    principal: one.principal,
    groups: one.groups,
    required: one.required,
    roles: one.roles.map((given) => ({
      group: given.group,
      scopes: given.scopes,
      limits: toLimits(given.limits ?? {}),
      projectRoots: (given.project_roots ?? []).map((root) => path.resolve(root)),
      agents: given.agents,
      approves: given.approves,
    })),
    ...compact({
      cli: one.cli && toCliClient(one, one.cli),
      console: one.console && toConsoleClient(one.console, one.required, file),
    }),
  }));
}

/** The audience of the server's tokens is asked for where it is the usual claim: some providers need that. */
function toCliClient(
  { audience_claim: claim, audiences }: z.infer<typeof issuer>,
  given: z.infer<typeof cli>,
): CliClient {
  const { client_id: clientId, scopes, resource } = given;
  const audience = given.audience ?? (claim === 'aud' ? audiences[0] : undefined);
  return { clientId, scopes, audience, resource };
}

/** @param file the path of the secret is relative to its folder. */
function toConsoleClient(
  given: z.infer<typeof consoleClient>,
  ofIssuer: ConsoleClient['required'],
  file: string,
): ConsoleClient {
  const { client_secret_file: secret } = given;
  return {
    clientId: given.client_id,
    clientAuth: given.client_auth,
    scopes: given.scopes,
    // ID tokens must have the same claims as access tokens, unless the file says otherwise.
    required: given.required ?? ofIssuer,
    ...compact({
      clientSecretFile: secret && path.resolve(path.dirname(path.resolve(file)), secret),
    }),
  };
}

function toLimits(given: z.infer<typeof limits>): PrincipalLimits {
  return compact({
    requestsPerMinute: given.requests_per_minute,
    concurrentTurns: given.concurrent_turns,
    tokensPerDay: given.tokens_per_day,
    usdPerDay: given.usd_per_day,
  });
}

function repeated(values: readonly string[], field: string): string | undefined {
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  return twice === undefined ? undefined : `has two issuers with the ${field} ${twice}`;
}
