import { SetMetadata } from '@nestjs/common';
import type { KeyScope } from '../storage/governance-schema.js';
import type { IdField, OwnedKind } from './ownership/owners.js';

/** The fields with ids, by what they are ids of. */
export type OwnedIds = Partial<Record<OwnedKind, IdField | readonly IdField[]>>;

export type Declaration =
  | { type: 'owned'; ids: OwnedIds }
  | { type: 'unowned'; why: string }
  | { type: 'open'; why: string };

/**
 * The rule of a route for page tokens. `never`: they may do nothing. `unbound`: what their principal may, but a token that is bound to
 * a session nothing. `bound`: what their principal may; a bound token, within its session: the ids of an `@Owned` route
 * are checked, and `session` is a field that must have the id of that session.
 */
export type PageRule =
  | { type: 'never' | 'unbound'; why: string }
  | { type: 'bound'; why: string; session?: IdField };

export const PAGE_RULE = 'turnpike:page-rule';

/** The rule of a route that declares none: ids that are checked keep a token in its session, and nothing else does. */
export function usualPageRule(declared: Declaration | undefined): PageRule {
  const why = 'the token is for one session, and this route is not of a session';
  return { type: declared?.type === 'owned' ? 'bound' : 'unbound', why };
}

/** Declares what page tokens may do on the route, where that is not the usual. */
export const ForPages = (rule: PageRule) => SetMetadata(PAGE_RULE, rule);

/** A page token may not use the route: what it begins outlives the token. */
export const NeverForPages = () =>
  ForPages({ type: 'never', why: 'what it begins goes on after the token has ended' });

/** A page token that is bound to a session may not use the route: it begins another session. */
export const NoNewSessionForPages = () =>
  ForPages({ type: 'unbound', why: 'the token is for one session, and this begins another' });

/** A page token that is bound to a session may use the route too: it has nothing of other sessions. */
export const HarmlessForPages = (why: string) => ForPages({ type: 'bound', why });

export const DECLARATION = 'turnpike:ownership';
export const SCOPE = 'turnpike:scope';
export const KEYS_SCOPE = 'turnpike:keys-scope';

/** A scope that a route needs; `any`: every caller may use it. */
export type NeededScope = KeyScope | 'any';

/** The route acts on owned objects: other principals get `not found`. */
export const Owned = (ids: OwnedIds) =>
  SetMetadata(DECLARATION, { type: 'owned', ids } satisfies Declaration);

/** The route needs a key and names no owned object; or its service checks the ownership itself. */
export const Unowned = (why: string) =>
  SetMetadata(DECLARATION, { type: 'unowned', why } satisfies Declaration);

/** The route is open to everybody: without a key, and without a rate limit. */
export const Open = (why: string) =>
  SetMetadata(DECLARATION, { type: 'open', why } satisfies Declaration);

/**
 * The scope that a key needs. Without keys the route is open to every caller, who has all scopes
 * then.
 */
export const KeysNeedScope = (scope: KeyScope) => SetMetadata(KEYS_SCOPE, scope);

/** The route is for every caller, whatever its scopes are. */
export const AnyScope = () => SetMetadata(SCOPE, 'any' satisfies NeededScope);

/** The scope that a route, or every route of a controller, needs; `turns` by default. */
export const NeedsScope = (scope: KeyScope) => SetMetadata(SCOPE, scope);
