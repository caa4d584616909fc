import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import {
  APP_GUARD,
  DiscoveryModule,
  DiscoveryService,
  MetadataScanner,
  Reflector,
} from '@nestjs/core';
import type { Request } from 'express';
import type { TypedError } from '../platform/typed-error.js';
import { AccessGuard } from './access.guard.js';
import { AdminController } from './keys/admin.controller.js';
import { AuditLog } from './keys/audit-log.js';
import { AuditService } from './keys/audit-service.js';
import { checkRoutes, type RouteFound } from './ownership/check-routes.js';
import { KeyService } from './keys/key-service.js';
import type { AccessServices } from './origin/open-access.js';
import { DECLARATION } from './ownership/owned.decorator.js';
import type { OwnedKind } from './ownership/owners.js';
import type { RequestCounter } from './rate/request-counter.js';

export interface AccessModuleOptions {
  access: AccessServices;
  counter: RequestCounter;
  /** Reads the body of a request that was admitted, into `request.body`. */
  readBody(request: Request): Promise<void>;
  /** What a route says of an id that nothing has. */
  notFound: Readonly<Record<OwnedKind, (id: string) => TypedError>>;
  /** Whether keys are managed here. */
  servesApi: boolean;
}

/** The metadata by which the framework knows a handler. */
const ROUTE_PATH = 'path';

/** The guard before every route. A route that does not say whose things it is about stops the start. */
@Module({})
export class AccessModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  static register({ access, servesApi, ...rest }: AccessModuleOptions): DynamicModule {
    return {
      module: AccessModule,
      global: true,
      imports: [DiscoveryModule],
      controllers: servesApi ? [AdminController] : [],
      providers: [
        { provide: AuditLog, useValue: access.audit },
        { provide: AuditService, useValue: new AuditService(access.audit) },
        { provide: KeyService, useValue: access.keyService },
        {
          provide: APP_GUARD,
          inject: [Reflector],
          useFactory: (reflector: Reflector) => new AccessGuard({ reflector, ...access, ...rest }),
        },
      ],
      exports: [AuditLog],
    };
  }

  /** @throws Error that names the routes that were forgotten. */
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
