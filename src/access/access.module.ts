import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule, DiscoveryService, Reflector } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { loadIssuers } from './tokens/auth-file.js';
import { issuerFetch, openVerifier } from './tokens/open-verifier.js';
import { TokenVerifier } from './tokens/token-verifier.js';
import { GovernanceModule } from '../governance/governance.module.js';
import { findHandlers } from '../http/find-handlers.js';
import { DATABASE } from '../storage/connection.js';
import { AccessGuard, NOT_FOUND, type NotFound } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { CallerController } from './caller.controller.js';
import { AdminController } from './admin.controller.js';
import { AuditLog } from './audit-log.js';
import { checkRoutes, Owners } from './ownership/owners.js';
import { PageTokenController } from './pages/page-token.controller.js';
import { PageTokens } from './pages/page-tokens.js';
import { ServerSecrets } from './pages/server-secrets.js';
import { Refusals } from './refusals.js';
import { AccessEnder } from './people/access-ender.js';
import { EndedReaders } from './people/ended-readers.js';
import { TokenPeople } from './credentials/token-people.js';
import { Grants } from './people/grants.js';
import { PrincipalEpochs } from './people/principal-epochs.js';
import { ConsoleIssuers, openConsoleIssuers } from './logins/console-issuers.js';
import { ConsoleLogins } from './logins/console-logins.js';
import { LoginPeople } from './logins/login-people.js';
import { Logins } from './logins/logins.js';
import { CustomAuthenticators } from './custom-authenticators.js';
import { KeyService } from './keys/key-service.js';
import { KnownApprovers } from './people/known-approvers.js';
import { KeyStore } from './keys/key-store.js';
import { MasterKeyRotation } from './secrets/master-key-rotation.js';
import { openVault, SecretVault } from './secrets/secret-vault.js';
import { ApiKeyCache } from './keys/api-key-cache.js';
import { ACCESS_RULES, accessRules, RefusedAddresses } from './origin/check-origin.js';
import { DECLARATION } from './owned.decorator.js';
import { UsageController } from './usage.controller.js';

/** Provides API keys, ownership, the audit log and the vault of secrets. */
@Module({
  providers: [
    KeyStore,
    AuditLog,
    ApiKeyCache,
    KeyService,
    PrincipalEpochs,
    ServerSecrets,
    PageTokens,
    Grants,
    TokenPeople,
    AccessEnder,
    RefusedAddresses,
    Refusals,
    {
      provide: TokenVerifier,
      inject: [CONFIG, CLOCK, LOGGER],
      useFactory: async (config: Config, clock: Clock, logger: Logger) => {
        const issuers = await loadIssuers(config.authFile);
        return openVerifier(issuers, config, { clock, logger });
      },
    },
    {
      provide: ConsoleIssuers,
      inject: [CONFIG, CLOCK],
      useFactory: async (config: Config, clock: Clock) => {
        const issuers = await loadIssuers(config.authFile);
        return openConsoleIssuers(issuers, config, { fetch: issuerFetch(config), clock });
      },
    },
    Logins,
    LoginPeople,
    ConsoleLogins,
    CustomAuthenticators,
    KnownApprovers,
    Authenticator,
    Owners,
    {
      provide: SecretVault,
      inject: [CONFIG, DATABASE, CLOCK, LOGGER],
      useFactory: openVault,
    },
    MasterKeyRotation,
    { provide: ACCESS_RULES, inject: [CONFIG], useFactory: accessRules },
  ],
  exports: [
    TokenVerifier,
    PageTokens,
    KeyStore,
    AuditLog,
    ApiKeyCache,
    KeyService,
    PrincipalEpochs,
    Grants,
    AccessEnder,
    Authenticator,
    CustomAuthenticators,
    KnownApprovers,
    ConsoleLogins,
    Owners,
    SecretVault,
    MasterKeyRotation,
  ],
})
export class AccessModule {}

/** Provides the guard of every route. A route without a declared ownership stops the start. */
@Module({})
export class AccessGuardModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
  ) {}

  /** @param servesApi whether this process serves the routes of keys and usage. */
  static register(notFound: NotFound, servesApi: boolean): DynamicModule {
    return {
      module: AccessGuardModule,
      imports: [AccessModule, DiscoveryModule, GovernanceModule],
      controllers: servesApi
        ? [AdminController, UsageController, CallerController, PageTokenController]
        : [],
      providers: [
        EndedReaders,
        { provide: NOT_FOUND, useValue: notFound },
        { provide: APP_GUARD, useClass: AccessGuard },
      ],
    };
  }

  /** @throws Error that names the undeclared routes. */
  onModuleInit(): void {
    checkRoutes(
      findHandlers(this.discovery).map(({ name, handler }) => ({
        name,
        isDeclared: this.reflector.get(DECLARATION, handler) !== undefined,
      })),
    );
  }
}
