import { Inject, Injectable } from '@nestjs/common';
import { SecretVault } from '../../access/secrets/secret-vault.js';
import type { Persona } from '../../agents/parse-agent-file.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { Attachments } from '../../attachments/attachments.js';
import { OutputFiles } from '../../attachments/output-files.js';
import { CONFIG, type Config } from '../../config/config.js';
import { EVENT_LOG, type EventLog } from '../../events/event-log.js';
import { TurnCommits } from '../../events/turn-commits.js';
import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { SERVER_PERMISSIONS } from '../../governance/permissions/permission-rules.js';
import { Metrics } from '../../telemetry/metrics.js';
import { ProjectFacts } from '../../session/project-facts.js';
import { TRIGGERS, type Trigger } from '../../governance/notices/trigger.js';
import { SchemaChecks } from '../../tools/output/schema-checks.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ResourceProbe } from '../../platform/process/resource-probe.js';
import { REDACT, type Redact } from '../../platform/text/redact.js';
import { ModelProvider } from '../../provider/model-provider.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { ModelOutages } from '../../provider/model-outages.js';
import { ModelResolver } from '../../provider/model-resolver.js';
import { ProjectRoots } from '../../session/project-roots.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { SHELL_ENV } from '../../tools/shell-env.js';
import { ToolRegistry } from '../../tools/registry.js';
import { TOOL_HOOK, type ToolHook } from '../../tools/tool-hook.js';
import { ConversationCache } from './conversation-cache.js';
import type { PermissionRules } from '../../storage/shapes/stored-options.js';
import { Tracing } from '../../telemetry/tracing.js';

/**
 * The services of the process that the functions of an attempt call, and what its attempts share. Each is a property:
 * they are too many for a constructor.
 */
@Injectable()
export class AttemptServices {
  @Inject(CONFIG) readonly config!: Config;
  @Inject(CLOCK) readonly clock!: Clock;
  @Inject(LOGGER) readonly logger!: Logger;
  @Inject(DATABASE) readonly db!: Database;
  @Inject(EVENT_LOG) readonly log!: EventLog;
  @Inject() readonly commits!: TurnCommits;
  @Inject() readonly metrics!: Metrics;
  @Inject() readonly tracing!: Tracing;
  @Inject(REDACT) readonly redact!: Redact;
  @Inject() readonly resources!: ResourceProbe;
  @Inject() readonly provider!: ModelProvider;
  @Inject() readonly models!: ModelCatalogue;
  @Inject() readonly modelNames!: ModelResolver;
  @Inject() readonly outages!: ModelOutages;
  @Inject() readonly checks!: SchemaChecks;
  @Inject() readonly trees!: DecisionTrees;
  @Inject(TRIGGERS) readonly triggers!: readonly Trigger[];
  @Inject() readonly projectFacts!: ProjectFacts;
  @Inject() readonly projectRoots!: ProjectRoots;
  @Inject() readonly personas!: PersonaLibrary;
  @Inject() readonly attachments!: Attachments;
  /** Keeps the files in the outputs of tools. */
  @Inject() readonly outputs!: OutputFiles;
  @Inject() readonly tools!: ToolRegistry;
  /** The environment of commands. */
  @Inject(SHELL_ENV) readonly shellEnv!: Readonly<Record<string, string>>;
  /** The operator's decision about each call; null: there is none, which Nest sets no property to. */
  @Inject(TOOL_HOOK) readonly toolHook: ToolHook | null = null;
  @Inject() readonly vault!: SecretVault;
  @Inject(SERVER_PERMISSIONS) readonly serverPermissions!: PermissionRules;

  /** The conversations of the sessions whose turns this worker ran last. */
  @Inject() readonly conversations!: ConversationCache;

  /** The system prompt that was built last for a persona: most turns of an agent share one copy. */
  readonly systemPrompts = new WeakMap<Persona, string>();
}
