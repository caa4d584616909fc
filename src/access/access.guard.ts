import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { BODY_KIND, type BodyKind } from '../http/request-body.js';
import { recordOf } from '../http/request-record.js';
import { requestTryOf } from '../http/request-try.js';
import { compact } from '../platform/compact.js';
import { senderAddress, type TrustedProxies } from '../platform/net/sender-address.js';
import type { TypedError } from '../errors/typed-error.js';
import { isStorable } from '../storage/connection.js';
import type { KeyScope } from '../storage/governance-schema.js';
import { forbiddenForPage, forbiddenScope, noKeysYet } from './access-errors.js';
import { Authenticator } from './authenticator.js';
import { setCaller } from './caller.decorator.js';
import {
  DECLARATION,
  KEYS_SCOPE,
  PAGE_RULE,
  SCOPE,
  usualPageRule,
  type Declaration,
  type NeededScope,
  type OwnedIds,
  type PageRule,
} from './owned.decorator.js';
import {
  idAt,
  mayName,
  ownedKinds,
  Owners,
  textAt,
  type IdField,
  type OwnedKind,
} from './ownership/owners.js';
import { boundSession, type Principal } from './principal.js';
import type { RequestHead } from './credentials/parse-credentials.js';
import {
  checkRate,
  REQUEST_COUNTER,
  type RequestCounter,
} from '../governance/rates/request-rate.js';

/** Errors of routes for an unknown id, by the kind of the id. */
export type NotFound = Readonly<Record<OwnedKind, (id: string) => TypedError>>;

/** Injects the `NotFound` of the routes. */
export const NOT_FOUND = Symbol('NotFound');

/** Reads the body of an admitted request into `request.body`. */
export interface BodySource {
  read(request: Request, kind: BodyKind): Promise<void>;
}

/** Injects the `BodySource` of the process. */
export const BODY_SOURCE = Symbol('BodySource');

/**
 * Guards every route: authentication, scope, rate and ownership. All but ownership are decided from
 * the request's head: a refused request's body is never read, nor is an open route's.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly owners: Owners,
    @Inject(REQUEST_COUNTER) private readonly counter: RequestCounter,
    @Inject(BODY_SOURCE) private readonly bodies: BodySource,
    @Inject(NOT_FOUND) private readonly notFound: NotFound,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { reflector, authenticator } = this;
    const handler = context.getHandler();
    const declared = reflector.get<Declaration | undefined>(DECLARATION, handler);
    if (declared?.type === 'open') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const record = recordOf(request);
    const head = headOf(request, { requestId: record?.id, trusted: authenticator.trustedProxies });
    const caller = await authenticator.authenticate(head);
    if (record !== undefined) {
      record.principal = caller.id;
      Object.assign(record, compact({ access: authenticator.accessOf(caller, head) }));
    }
    const { id: requestId, trace } = record ?? {};
    const sender: Principal = { ...caller, ...compact({ requestId, trace }) };
    setCaller(request, sender);
    const targets = [handler, context.getClass()];
    const ofKeys = reflector.getAllAndOverride<KeyScope | undefined>(KEYS_SCOPE, targets);
    const ofAll = reflector.getAllAndOverride<NeededScope | undefined>(SCOPE, targets);
    const needed = caller.credential.kind === 'none' ? ofAll : (ofKeys ?? ofAll);
    this.#checkScope(caller, needed ?? 'turns', head);
    const rule = reflector.get<PageRule | undefined>(PAGE_RULE, handler) ?? usualPageRule(declared);
    checkPage(caller, rule);
    const { requestsPerMinute } = caller.limits;
    if (requestsPerMinute > 0) await checkRate(this.counter, caller.id, requestsPerMinute);
    await this.bodies.read(
      request,
      reflector.get<BodyKind | undefined>(BODY_KIND, handler) ?? 'plain',
    );
    Object.assign(sender, compact({ try: requestTryOf(request) }));
    if (declared?.type === 'owned') await this.#checkOwners(caller, declared.ids, request);
    this.#checkSession(caller, rule, request);
    return true;
  }

  #checkScope(caller: Principal, needed: NeededScope, head: RequestHead): void {
    if (needed === 'any' || caller.scopes.includes(needed)) return;
    if (caller.credential.kind !== 'none') throw forbiddenScope(needed, caller.scopes);
    if (!this.authenticator.mayMakeFirstKey(head)) throw noKeysYet();
  }

  /**
   * Checks ownership before anything else of the request is validated: a foreign object and a
   * missing one get the same answer, from here.
   */
  async #checkOwners(caller: Principal, ids: OwnedIds, request: Request): Promise<void> {
    const { authenticator, owners, notFound } = this;
    const named = namedIn(request, ids);
    // Also where nothing is owned: a statement with it would fail. Routes look at their bodies by themselves.
    const odd = named.find(({ id, field }) => !field.startsWith('body.') && !isStorable(id));
    if (odd !== undefined) throw notFound[odd.kind](odd.id);
    if (!(await authenticator.deployment()).hasOwners) return;
    const bound = boundSession(caller);
    if (bound !== undefined && named.length === 0) {
      throw forbiddenForPage('the token is for one session, and this names nothing in it');
    }
    for (const { kind, id } of named) {
      const place = await owners.placeOf(kind, id);
      const isWithin = bound === undefined || place?.sessionId === bound;
      if (!mayName(caller, kind, place) || !isWithin) throw notFound[kind](id);
    }
  }

  /** Keeps a page token in its session, on a route that takes the id of a session in a form of its own. */
  #checkSession(caller: Principal, rule: PageRule, request: Request): void {
    const bound = boundSession(caller);
    if (bound === undefined || rule.type !== 'bound' || rule.session === undefined) return;
    const id = textAt(request, rule.session);
    if (id === undefined)
      throw forbiddenForPage('the token is for one session, which this does not name');
    if (id !== bound) throw this.notFound.session(id);
  }
}

/** @throws TypedError FORBIDDEN_FOR_PAGE 403 for a page token that may not use the route. */
function checkPage({ credential }: Principal, rule: PageRule): void {
  if (credential.kind !== 'page') return;
  const isBound = credential.sessionId !== undefined;
  if (rule.type === 'never' || (rule.type === 'unbound' && isBound)) {
    throw forbiddenForPage(rule.why);
  }
}

/** The ids that a request has in the fields that its route declares. */
function namedIn(
  request: Request,
  ids: OwnedIds,
): { kind: OwnedKind; field: IdField; id: string }[] {
  return ownedKinds.flatMap((kind) =>
    [ids[kind] ?? []].flat().flatMap((field) => {
      const id = idAt(request, field);
      return id === undefined ? [] : [{ kind, field, id }];
    }),
  );
}

function headOf(
  { method, originalUrl, rawHeaders, socket }: Request,
  { requestId, trusted }: { requestId: string | undefined; trusted: TrustedProxies },
): RequestHead {
  const address = senderAddress({ address: socket.remoteAddress ?? '', rawHeaders }, trusted);
  return { method, url: originalUrl, rawHeaders, address, ...compact({ requestId }) };
}
