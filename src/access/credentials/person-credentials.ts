import { compact } from '../../platform/compact.js';
import { issuerUnavailable, tokenRefused } from '../access-errors.js';
import { isKeyText } from '../keys/key-secret.js';
import { dropCookie } from '../logins/login-cookies.js';
import { checkOrigin } from '../origin/check-origin.js';
import type { RequestHead } from './parse-credentials.js';
import { limitsOf, type Principal, type ResolvedLimits } from '../principal.js';
import type { TokenPerson } from './token-people.js';
import { IssuerAwayError } from '../tokens/issuer-keys.js';
import { signedFaults, TokenError } from '../tokens/token-error.js';
import { isJwtText } from '../tokens/token-verifier.js';
import { accessUntilEnded, type CredentialKind, type CredentialParts } from './credential-kind.js';
import { headerOf, pageOf } from './request-page.js';

/** Tokens of identity providers. */
export function tokenCredentials(parts: CredentialParts): CredentialKind {
  const { people, custom } = parts;
  return {
    kind: 'token',
    isText: true,
    // A token of nobody's may be one that an extension looks at.
    matches: ({ text = '' }) =>
      !isKeyText(text) && isJwtText(text) && (custom.isEmpty || people.tokens.knowsIssuer(text)),
    find: ({ text = '', head }) => findByToken(parts, text, head),
    accessOf: (principal) => accessUntilEnded(parts, principal),
  };
}

async function findByToken(
  { people, refusals, rules }: CredentialParts,
  token: string,
  head: RequestHead,
): Promise<Principal> {
  try {
    return principalOfPerson(await people.findByToken(token), rules.defaultLimits);
  } catch (error) {
    if (error instanceof IssuerAwayError) throw issuerUnavailable(error.issuer);
    if (!(error instanceof TokenError)) throw error;
    if (!signedFaults.includes(error.fault)) await refusals.count(head, token);
    const { issuer } = error.facts;
    await refusals.note(head, { reason: error.fault, ...compact({ issuer }) });
    throw tokenRefused(error);
  }
}

/** Log-ins of people in the console, by the cookie of their browser. */
export function loginCredentials(parts: CredentialParts): CredentialKind {
  const { logins } = parts;
  const cookieOf = (head: RequestHead): string | undefined =>
    logins.cookieOf({ host: headerOf(head, 'host'), sent: headerOf(head, 'cookie') });
  return {
    kind: 'login',
    isText: false,
    matches: ({ text, head }) => text === undefined && cookieOf(head) !== undefined,
    find: ({ head }) => findByLogin(parts, cookieOf(head) ?? '', head),
    accessOf: ({ credential }) => {
      if (credential.kind !== 'login') throw new Error('The credential is no log-in');
      const { id, expiresAt } = credential;
      return { expiresAt, hasEnded: () => logins.hasEnded(id) };
    },
  };
}

async function findByLogin(
  { logins, refusals, rules }: CredentialParts,
  secret: string,
  head: RequestHead,
): Promise<Principal> {
  const refusal = checkOrigin(pageOf(head), { anyHost: true, ownPages: true });
  if (refusal !== undefined) throw refusal;
  const isOurs = await logins.isOurs(secret);
  if (!isOurs) await refusals.count(head, secret);
  try {
    const person = isOurs ? await logins.find(secret) : undefined;
    if (person !== undefined) return principalOfPerson(person, rules.defaultLimits);
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    const { fault, facts, principalId } = error;
    const details = { reason: fault, ...compact({ issuer: facts.issuer }) };
    await refusals.note(head, details, principalId);
    throw tokenRefused(error);
  }
  await refusals.note(head, { reason: 'LOGIN_ENDED' });
  // The browser would send it with each request of the page.
  const dropped = dropCookie('login', headerOf(head, 'host') ?? '');
  throw refusals.unauthenticated('login_ended', { 'Set-Cookie': dropped });
}

export function principalOfPerson(
  { id, credential, rights }: TokenPerson,
  defaultLimits: ResolvedLimits,
): Principal {
  const { scopes, limits, approves, projectRoots, agents } = rights;
  return {
    id,
    credential,
    scopes,
    limits: limitsOf(limits, defaultLimits),
    approves,
    projectRoots,
    ...compact({ agents }),
  };
}
