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
import { MCP, openMcp } from './mcp/mcp.js';
import { openToolHook, TOOL_HOOK } from './tool-hook.js';
import { ToolController } from './tool.controller.js';
import { ToolRegistry } from './registry.js';
import { openShells, SHELLS, type Shells } from './shells.js';

/** The tools of the server, and all that they run in. A start fails with FileInvalidError or ConfigError. */
@Module({
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
    {
      provide: MCP,
      inject: [CONFIG, ENVIRONMENT, CLOCK, LOGGER, ResourceStack],
      useFactory: (
        config: Config,
        environment: Environment,
        clock: Clock,
        logger: Logger,
        resources: ResourceStack,
      ) => resources.add(openMcp({ config, environment, clock, logger }), (mcp) => mcp.close()),
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
  exports: [SHELLS, SHELL_ENV, ToolRegistry, MCP, OWN_PATHS, TOOL_HOOK],
})
export class ToolsModule {}

/** The route that lists the tools. */
@Module({ imports: [ToolsModule], controllers: [ToolController] })
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
