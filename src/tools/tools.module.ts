import { Module } from '@nestjs/common';
import { CONFIG, ENVIRONMENT, type Config, type Environment } from '../config/config.js';
import { runsTurns } from '../config/role.js';
import { OWN_PATHS } from '../governance/permissions/own-paths.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import { builtinTools } from './builtin/builtin-tools.js';
import { ownFolders, resolveOwnPaths, homeFolders, secretPaths } from './resolve-own-paths.js';
import { pickShellEnv, SHELL_ENV } from './shell-env.js';
import { AccessEnder } from '../access/people/access-ender.js';
import { AccessModule } from '../access/access.module.js';
import { AuditLog } from '../access/audit-log.js';
import { PrincipalEpochs } from '../access/people/principal-epochs.js';
import { SecretVault } from '../access/secrets/secret-vault.js';
import { Metrics } from '../telemetry/metrics.js';
import { DATABASE } from '../storage/connection.js';
import { McpClientsController } from './mcp-clients.controller.js';
import { MCP, openMcp } from './mcp/mcp.js';
import { OAuthDiscovery, oauthFetch } from './mcp/oauth/discovery.js';
import { McpLogins } from './mcp/oauth/mcp-logins.js';
import { BASE_PATH, McpRedirects } from './mcp/oauth/mcp-redirects.js';
import { OAuthClients } from './mcp/oauth/oauth-clients.js';
import { OAuthFlows } from './mcp/oauth/oauth-flows.js';
import { openToolHook, TOOL_HOOK } from './tool-hook.js';
import { ToolController } from './tool.controller.js';
import { ToolRegistry } from './registry.js';
import { openShells, SHELLS, type Shells } from './shells.js';

/** Log-ins of people at MCP servers. */
const oauthProviders = [
  {
    provide: OAuthDiscovery,
    inject: [CONFIG, CLOCK],
    useFactory: ({ mcpPrivateHosts }: Config, clock: Clock) =>
      new OAuthDiscovery(oauthFetch(mcpPrivateHosts), clock),
  },
  {
    provide: McpLogins,
    inject: [
      AccessEnder,
      DATABASE,
      CLOCK,
      LOGGER,
      SecretVault,
      AuditLog,
      PrincipalEpochs,
      OAuthDiscovery,
      Metrics,
    ],
    useFactory: (ender: AccessEnder, ...parts: ConstructorParameters<typeof McpLogins>) => {
      const logins = new McpLogins(...parts);
      ender.endElsewhere = (principalId, by) => logins.endAll(principalId, by);
      return logins;
    },
  },
  {
    provide: OAuthClients,
    inject: [DATABASE, CLOCK, SecretVault, OAuthDiscovery, LOGGER],
    useFactory: (...parts: ConstructorParameters<typeof OAuthClients>) =>
      new OAuthClients(...parts),
  },
  {
    provide: OAuthFlows,
    inject: [DATABASE, CLOCK, SecretVault, OAuthDiscovery, OAuthClients, Metrics],
    useFactory: (...parts: ConstructorParameters<typeof OAuthFlows>) => new OAuthFlows(...parts),
  },
  {
    provide: McpRedirects,
    inject: [CONFIG, { token: BASE_PATH, optional: true }],
    useFactory: (config: Config, basePath?: string) => new McpRedirects(config, basePath),
  },
];

/** The tools of the server, and all that they run in. A start fails with FileInvalidError or ConfigError. */
@Module({
  imports: [AccessModule],
  providers: [
    { provide: SHELLS, inject: [CONFIG, ENVIRONMENT, CLOCK, LOGGER], useFactory: findShells },
    {
      provide: SHELL_ENV,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => pickShellEnv(environment),
    },
    {
      provide: ToolRegistry,
      inject: [SHELLS],
      useFactory: (shells: Shells) => new ToolRegistry(builtinTools(shells)),
    },
    ...oauthProviders,
    {
      provide: MCP,
      inject: [CONFIG, ENVIRONMENT, CLOCK, LOGGER, ResourceStack, OAuthDiscovery, McpLogins],
      useFactory: (
        config: Config,
        environment: Environment,
        clock: Clock,
        logger: Logger,
        resources: ResourceStack,
        discovery: OAuthDiscovery,
        logins: McpLogins,
      ) => {
        const oauth = { discovery, logins };
        const opening = openMcp({ config, environment, clock, logger, oauth });
        return resources.add(opening, (mcp) => mcp.close());
      },
    },
    { provide: TOOL_HOOK, inject: [CONFIG, CLOCK], useFactory: openToolHook },
    {
      provide: OWN_PATHS,
      inject: [CONFIG],
      useFactory: async (config: Config) => {
        const own = ownFolders(config);
        // Paths that commands do not see, file tools do not reach.
        const hidden = [...own.hidden, ...secretPaths(await homeFolders())];
        return resolveOwnPaths({ ...own, hidden });
      },
    },
  ],
  exports: [
    SHELLS,
    SHELL_ENV,
    ToolRegistry,
    MCP,
    OWN_PATHS,
    TOOL_HOOK,
    McpLogins,
    OAuthFlows,
    McpRedirects,
  ],
})
export class ToolsModule {}

/** The route that lists the tools, and the one that forgets registrations. */
@Module({
  imports: [AccessModule, ToolsModule],
  controllers: [ToolController, McpClientsController],
})
export class ToolsApiModule {}

async function findShells(
  config: Config,
  environment: Environment,
  clock: Clock,
  logger: Logger,
): Promise<Shells> {
  const own = ownFolders(config);
  const shells = await openShells({
    limits: {
      memoryMb: config.sandboxMemoryMb,
      processes: config.sandboxProcesses,
      cpuPercent: config.sandboxCpuPercent,
    },
    network: config.sandboxNetwork,
    dataFolders: own.data,
    hide: own.hidden,
    protect: own.protected,
    searchPath: environment['PATH'] ?? '',
    allowUnsandboxed: config.allowUnsandboxedBash,
    outputLimit: config.toolOutputLimit,
    clock,
  });
  if (runsTurns(config.role)) warnOfShells(shells, logger);
  return shells;
}

function warnOfShells(shells: Shells, logger: Logger): void {
  if (shells.kind === 'sandboxed') {
    for (const reason of shells.weaknesses) {
      logger.warn({ reason }, 'the sandbox of bash lacks protections; the reason names them');
    }
    return;
  }
  const { kind, reason } = shells;
  logger.warn(
    { reason },
    kind === 'off'
      ? 'bash is off: no sandbox works here. Install bubblewrap 0.8 or later and allow user namespaces. TURNPIKE_ALLOW_UNSANDBOXED_BASH=true runs commands with all rights of this process'
      : 'bash runs WITHOUT a sandbox: its commands have all rights of this process',
  );
}
