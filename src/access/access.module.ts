import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import {
  APP_GUARD,
  DiscoveryModule,
  DiscoveryService,
  MetadataScanner,
  Reflector,
} from '@nestjs/core';
import { CONFIG } from '../config/config.js';
import { AccessGuard, NOT_FOUND, type NotFound } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { AdminController } from './keys/admin.controller.js';
import { AuditLog } from './audit-log.js';
import { AuditService } from './keys/audit-service.js';
import { checkRoutes, type RouteFound } from './ownership/check-routes.js';
import { KeyService } from './key-service.js';
import { KeyStore } from './key-store.js';
import { KnownKeys } from './known-keys.js';
import { ACCESS_RULES, accessRules } from './origin/access-rules.js';
import { RefusedAddresses } from './origin/refused-addresses.js';
import { DECLARATION } from './owned.decorator.js';
import { Owners } from './ownership/owners.js';

/** Nest's own metadata key of a route handler. */
const ROUTE_PATH = 'path';

/** Provides API keys, ownership and the audit log. */
@Module({
  providers: [
    KeyStore,
    AuditLog,
    AuditService,
    KnownKeys,
    KeyService,
    RefusedAddresses,
    Authenticator,
    Owners,
    { provide: ACCESS_RULES, inject: [CONFIG], useFactory: accessRules },
  ],
  exports: [KeyStore, AuditLog, AuditService, KnownKeys, KeyService, Authenticator, Owners],
})
export class AccessModule {}

/** Provides the guard of every route. A route without a declared ownership stops the start. */
@Module({})
export class AccessGuardModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @param servesApi whether this process serves the routes of keys. */
  static register(notFound: NotFound, servesApi: boolean): DynamicModule {
    return {
      module: AccessGuardModule,
      imports: [AccessModule, DiscoveryModule],
      controllers: servesApi ? [AdminController] : [],
      providers: [
        { provide: NOT_FOUND, useValue: notFound },
        { provide: APP_GUARD, useClass: AccessGuard },
      ],
    };
  }

  /** @throws Error that names the undeclared routes. */
  onModuleInit(): void {
    checkRoutes(
      this.discovery.getControllers().flatMap(({ metatype }) => this.#routesOf(metatype)),
    );
  }

  #routesOf(controller: unknown): RouteFound[] {
    if (typeof controller !== 'function') return [];
    const prototype = controller.prototype as Record<string, unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
      const handler = prototype[method];
      if (typeof handler !== 'function') return [];
      if (this.reflector.get(ROUTE_PATH, handler as () => void) === undefined) return [];
      const isDeclared = this.reflector.get(DECLARATION, handler as () => void) !== undefined;
      return [{ name: `${controller.name}.${method}`, isDeclared }];
    });
  }
}
