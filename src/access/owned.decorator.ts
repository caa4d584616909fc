import { SetMetadata } from '@nestjs/common';
import type { KeyScope } from '../storage/governance-schema.js';
import type { IdField, OwnedKind } from './ownership/owners.js';

/** The fields with ids, by what they are ids of. */
export type OwnedIds = Partial<Record<OwnedKind, IdField | readonly IdField[]>>;

export type Declaration =
  | { type: 'owned'; ids: OwnedIds }
  | { type: 'unowned'; why: string }
  | { type: 'open'; why: string };

export const DECLARATION = 'turnpike:ownership';
export const SCOPE = 'turnpike:scope';
export const KEYS_SCOPE = 'turnpike:keys-scope';

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

/** The scope that a route, or every route of a controller, needs; `turns` by default. */
export const NeedsScope = (scope: KeyScope) => SetMetadata(SCOPE, scope);
