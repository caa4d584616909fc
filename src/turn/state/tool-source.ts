import type { Persona } from '../../agents/parse-agent-file.js';
import type { NoticePosted } from '../../events/turn-event.js';
import type { OfferRules } from '../../governance/permissions/offer-tools.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type { JsonObject } from '../../platform/json.js';
import type { ToolCallStatus } from '../../storage/shapes/stored-turn.js';
import type {
  NarrowingSkill,
  ResolvedOptions,
  ServerTool,
} from '../../storage/shapes/stored-options.js';
import type { RegisteredTool } from '../../tools/registry.js';
import type { ToolContext } from '../../tools/tool.js';
import type { Attempt } from './attempt.js';
import type { PromptPart } from './prompt-part.js';

/** Where tools of a turn come from: the server's own, MCP servers, the client and so on. A feature registers its source. */
export interface ToolSource {
  readonly name: string;
  /** The place of its tools in a request, lowest first. A name that two sources have is that of the first. */
  readonly precedence: number;
  /** Tools of the server's registry that only this source offers. Absent: none. */
  readonly owns?: readonly string[];
  /** What the prompt says of its tools, and notices of their changes. Absent: nothing beside their definitions. */
  readonly prompt?: PromptPart;
  /** Opens the tools of an attempt. @throws the reason of the lease's signal. */
  open(attempt: Attempt, offer: ToolOffer): SourceTools | Promise<SourceTools>;
  /** As `open`, for a replay, in which no tool runs. Absent: `open` is called. */
  openRecorded?(attempt: Attempt, offer: ToolOffer): SourceTools | Promise<SourceTools>;
}

/** What a turn asks for, as far as its tools depend on it. */
export interface ToolOffer {
  persona: Persona;
  root: OpenedRoot;
  options: ResolvedOptions;
  /** Whether the request lists the tools by name. */
  isExplicit: boolean;
  /** Whether the turn has a person who can be asked. */
  asks: boolean;
  /** Names that the sources before this one have, offered or not. */
  taken: ReadonlySet<string>;
}

/** What may take a tool away beside rules: the tools of a subagent's parent, and the operator's ceiling. */
export type ToolBound = 'parent' | 'ceiling';

/** The tools of one source for one attempt. */
export interface SourceTools {
  tools: readonly RegisteredTool[];
  bounds: readonly ToolBound[];
  /** Who runs them. Absent: this server. */
  runBy?: 'client';
  /** Names that later sources cannot have although the turn has no such tool. Absent: none. */
  reserved?: readonly string[];
  /** Tools that rules treat as named by the request. Absent: none. */
  named?: readonly string[];
  /** Notices for clients. Absent: none. */
  notices?: readonly NoticePosted[];
  /** Tools that the provider runs, within the rules of the turn. Absent: none. */
  providerTools?(rules: OfferRules): { tools: ServerTool[]; notices: readonly NoticePosted[] };
  /** What follows from the tools that the model may call. Absent: nothing. */
  follow?(offered: readonly RegisteredTool[]): FollowingTools;
  /** What its tools are opened with. Absent: nothing. */
  context?: Partial<ToolContext>;
  /**
   * Adds to the turn's message, before the first model call. Absent: nothing.
   * @throws TypedError where what the request names cannot be added.
   */
  withMessage?(attempt: Attempt): Promise<Attempt>;
  /** Called once, after the tools are closed. Absent: nothing is held. */
  close?(): Promise<void>;
}

/** A call of the turn that has ended, with the input that it had. */
export interface EndedCall {
  name: string;
  input: JsonObject;
  status: ToolCallStatus;
}

/**
 * Finds what is allowed alone from now on: a skill that was loaded narrows what comes after. Pure.
 *
 * @param calls those of the turn's earlier steps, in order.
 */
export type Narrow = (calls: readonly EndedCall[]) => readonly NarrowingSkill[];

export interface FollowingTools {
  /** Notices for clients. */
  notices?: readonly NoticePosted[];
  /** What the turn has of the source's part of the prompt. Absent: nothing. */
  state?: unknown;
  /** Narrows the rules for calls. */
  narrow?: Narrow;
}

/** The sources of this process. Features add theirs when they are loaded, before any turn runs. */
export class ToolSources {
  #sources: ToolSource[] = [];

  constructor(own: readonly ToolSource[] = []) {
    for (const source of own) this.register(source);
  }

  /** @throws Error when another source has the name. */
  register(source: ToolSource): void {
    if (this.#sources.some(({ name }) => name === source.name)) {
      throw new Error(`The tool source ${source.name} is registered twice`);
    }
    this.#sources = [...this.#sources, source].sort((a, b) => a.precedence - b.precedence);
  }

  /** In the order of their precedence. */
  list(): readonly ToolSource[] {
    return this.#sources;
  }

  /** Whether a tool of the registry is offered by a source of its own. */
  isOwned(tool: string): boolean {
    return this.#sources.some(({ owns }) => owns?.includes(tool) === true);
  }
}

/** A turn that lists its tools lists those of servers too: `mcp__name`, or each by its name. */
export function isWanted(
  { options, isExplicit }: Pick<ToolOffer, 'options' | 'isExplicit'>,
  tool: string,
): boolean {
  if (!isExplicit) return true;
  return options.tools.some((name) => tool === name || tool.startsWith(`${name}__`));
}
