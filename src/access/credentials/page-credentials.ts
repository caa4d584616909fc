import { compact } from '../../platform/compact.js';
import { pageTokenRefused } from '../access-errors.js';
import { isPageTokenText, PageTokenError } from '../pages/page-token.js';
import type { OpenedToken } from '../pages/page-tokens.js';
import { parseCredentials, type RequestHead } from './parse-credentials.js';
import { limitsOf, type Principal, type ResolvedLimits } from '../principal.js';
import { accessUntilEnded, type CredentialKind, type CredentialParts } from './credential-kind.js';
import { headerOf } from './request-page.js';

/** Tokens that an application makes for its pages. */
export function pageCredentials(parts: CredentialParts): CredentialKind {
  const { pages } = parts;
  return {
    kind: 'page',
    isText: true,
    matches: ({ text = '' }) => isPageTokenText(text),
    find: ({ text = '', head }) => findByPageToken(parts, text, head),
    accessOf: (principal, head) => {
      const access = accessUntilEnded(parts, principal);
      const token = parseCredentials(head);
      return token === undefined ? access : { ...access, hasEnded: () => pages.hasEnded(token) };
    },
  };
}

async function findByPageToken(
  { pages, refusals, rules }: CredentialParts,
  token: string,
  head: RequestHead,
): Promise<Principal> {
  let isSigned = false;
  try {
    const claims = await pages.open(token);
    isSigned = true;
    const origin = headerOf(head, 'origin');
    // A browser sends none with the requests of a page to its own server.
    if (claims.origin !== undefined && origin !== undefined && origin !== claims.origin) {
      throw new PageTokenError('WRONG_ORIGIN');
    }
    return principalOfPage(await pages.check(claims), rules.defaultLimits);
  } catch (error) {
    if (!(error instanceof PageTokenError)) throw error;
    if (!isSigned) await refusals.count(head, token);
    await refusals.note(head, { reason: `PAGE_TOKEN_${error.fault}` });
    throw pageTokenRefused(error);
  }
}

/** A page token can do what its key can now, of what it was made for. Folders of the key are its own principal's. */
function principalOfPage({ claims, key }: OpenedToken, defaultLimits: ResolvedLimits): Principal {
  const { id: tokenId, principal: id, session: sessionId, agents, expiresAt } = claims;
  const bound = compact({ sessionId });
  return {
    id,
    credential: { kind: 'page', id: key.id, tokenId, expiresAt: new Date(expiresAt), ...bound },
    scopes: claims.scopes.filter((scope) => key.scopes.includes(scope)),
    limits: limitsOf(key.limits, defaultLimits),
    approves: (claims.approves ?? []).filter((role) => key.approves?.includes(role) === true),
    projectRoots: id === key.principalId ? (key.projectRoots ?? []) : [],
    ...compact({ agents }),
  };
}
