import type { Persona } from '../agents/parse-agent-file.js';
import type { ResolvedModel } from '../provider/model-resolver.js';
import type { AgentConfig, OnDisconnect } from '../storage/shapes/stored-options.js';
import type { ModeBounds } from './permission-mode.js';
import type { Preferences } from './preferences/preferences-store.js';

/** The tiers that a turn's options are resolved from. */
export interface OptionSources {
  /** The client's `opts`, unchecked. Undefined when omitted. */
  opts: unknown;
  session: { persona: string; mode: string; agentConfig?: Partial<AgentConfig> | null };
  /** The persona that `choosePersona` named. */
  persona: Persona;
  /**
   * Whether the persona was called as an agent: its model and permission mode are tiers then, and
   * `dontAsk` is the mode where no tier names one.
   */
  asAgent?: boolean;
  /** Permission mode of the wire, in place of the session's. Absent: the session's. */
  wireMode?: 'direct' | 'dontAsk';
  /** What the wire does of a turn without readers, where `opts` says nothing. Absent: `cancel`. */
  wireOnDisconnect?: OnDisconnect;
  /** Limits that the user saved. */
  user?: Partial<AgentConfig>;
  /** Preferences that the user saved, limits aside. */
  preferences?: Preferences;
  defaults: {
    environmentModel?: string;
    agentsModel?: string;
    agentsConfig?: Partial<AgentConfig>;
  };
  /** Whether the server lets turns have a memory. Absent: yes. */
  allowsMemory?: boolean;
  /** Bounds of the permission mode. Absent: none. */
  bounds?: Pick<ModeBounds, 'ceiling' | 'mayApprove'>;
  /** The model that the name of `chooseModel` was resolved to. Absent: the name is taken as it is, without a price. */
  model?: ResolvedModel;
  /** Limits where no tier sets any. */
  limits: Readonly<AgentConfig>;
}
