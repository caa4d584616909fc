import { compact } from '../../platform/compact.js';
import { accessEnded } from '../access-errors.js';
import { AuthenticatorFault, type CustomCaller } from '../custom-authenticators.js';
import { isKeyText } from '../keys/key-secret.js';
import type { RequestHead } from './parse-credentials.js';
import { limitsOf, type Principal, type ResolvedLimits } from '../principal.js';
import { accessUntilEnded, type CredentialKind, type CredentialParts } from './credential-kind.js';
import { checkPage, headerOf } from './request-page.js';

/** Credentials that extensions look at: all but keys of this server. */
export function customCredentials(parts: CredentialParts): CredentialKind {
  return {
    kind: 'custom',
    isText: false,
    matches: ({ text }) => text === undefined || !isKeyText(text),
    find: ({ head }) => askExtensions(parts, head),
    accessOf: (principal) => accessUntilEnded(parts, principal),
  };
}

async function askExtensions(
  parts: CredentialParts,
  head: RequestHead,
): Promise<Principal | undefined> {
  const { custom, refusals, rules } = parts;
  try {
    const found = await custom.find(head);
    if (found === undefined) return undefined;
    // Browsers send cookies, Basic and Negotiate by themselves, also for a page of another site.
    const isBearer = /^Bearer /i.test(headerOf(head, 'authorization') ?? '');
    if (!isBearer) checkPage(head, rules, { anyHost: true });
    await checkCaller(parts, found, head);
    return principalOfCustom(found.name, found.caller, rules.defaultLimits);
  } catch (error) {
    if (!(error instanceof AuthenticatorFault)) throw error;
    return refusals.refuse('failed', head);
  }
}

/** @throws TypedError UNAUTHENTICATED 401 for somebody whose access was ended since the log-in. */
async function checkCaller(
  { people, refusals }: CredentialParts,
  { name, caller }: { name: string; caller: CustomCaller },
  head: RequestHead,
): Promise<void> {
  const { principalId, issuedAt } = caller;
  if (!(await people.hasLeft(principalId, issuedAt))) return;
  await refusals.note(head, { reason: 'ENDED', authenticator: name });
  throw accessEnded();
}

function principalOfCustom(
  authenticator: string,
  { principalId, scopes, limits, approves, agents, expiresAt }: CustomCaller,
  defaultLimits: ResolvedLimits,
): Principal {
  return {
    id: principalId,
    credential: { kind: 'custom', authenticator, ...compact({ expiresAt }) },
    scopes,
    limits: limitsOf(limits, defaultLimits),
    approves,
    projectRoots: [],
    ...compact({ agents }),
  };
}
