import { SetMetadata } from '@nestjs/common';
import type { KeyScope } from '../storage/governance-schema.js';
import type { OwnedKind } from './ownership/owners.js';

/** Where a request has an id: `params.id`, `body.sessionId`, `query.sessionId`. */
export type Place = `${'params' | 'body' | 'query'}.${string}`;

export type Declaration =
  | { type: 'owned'; places: Partial<Record<OwnedKind, Place>> }
  | { type: 'unowned'; why: string }
  | { type: 'open'; why: string };

export const DECLARATION = 'turnpike:ownership';
export const SCOPE = 'turnpike:scope';
export const KEYS_SCOPE = 'turnpike:keys-scope';

/** The route is about things that somebody has: for anybody else they are not there. */
export const Owned = (places: Partial<Record<OwnedKind, Place>>) =>
  SetMetadata(DECLARATION, { type: 'owned', places } satisfies Declaration);

/** The route needs a key, and names nothing that somebody has; or its service looks for it itself. */
export const Unowned = (why: string) =>
  SetMetadata(DECLARATION, { type: 'unowned', why } satisfies Declaration);

/** The route is for everybody, without a key and uncounted. */
export const Open = (why: string) =>
  SetMetadata(DECLARATION, { type: 'open', why } satisfies Declaration);

/**
 * What a key must be for, where there are keys. Where there are none, whoever may call has all there
 * is, and may look at it.
 */
export const KeysNeedScope = (scope: KeyScope) => SetMetadata(KEYS_SCOPE, scope);

/** What a key must be for, of a route or of all of a controller; `turns` where nothing is said. */
export const NeedsScope = (scope: KeyScope) => SetMetadata(SCOPE, scope);
