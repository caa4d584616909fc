import type { AnnouncedChanges, RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';

/** What parts have in a prefix. */
export type PrefixFields = Omit<
  Partial<RequestPrefix>,
  'system' | 'tools' | 'serverTools' | 'mode' | 'told' | 'compaction' | 'thinkingAfter' | 'leftOut'
>;
/** What parts have in a notice. */
export type SaidFields = Omit<AnnouncedChanges, 'mode' | 'off'>;
/** What parts have in all that the model was told. */
export type ToldFields = Omit<RequestPrefix['told'], 'mode' | 'off'>;

/**
 * A list of things that a turn has and its model is told of: skills, say, or what MCP servers offer. What a prefix says
 * stays as it was sent; a notice says what was added, removed or changed since. A feature registers its part with its
 * source of tools. All functions are pure.
 */
export interface PromptPart<State = unknown> {
  /** Its place among the paragraphs of the prompt, and the sentences of a notice: lowest first. */
  readonly order: number;
  /** The stored fields that are its own: without any of them, and without a state of the turn, the part is not asked. */
  readonly fields: readonly string[];
  /** The paragraphs of a system prompt for what a prefix has. */
  paragraphs(prefix: PrefixFields): readonly string[];
  /** What a new prefix has. @param state what the turn has; undefined: nothing. */
  begin(state: State | undefined, tools: readonly ToolSpec[]): BegunPart;
  /** How a prefix can be kept; undefined: the turn needs another. Absent: it always can. */
  keep?(prefix: RequestPrefix, turn: PartTurn<State>): KeptPart | undefined;
  /** What the model is told where it believes something else. @param before what notices said so far. */
  tell(prefix: RequestPrefix, before: SaidFields, turn: PartTurn<State>): ToldPart;
  /** What two notices said together: of each thing the later word counts. */
  join(before: SaidFields, after: SaidFields): SaidFields;
  /** What the metadata of a notice said. An import may say anything: without its shape, it said nothing. */
  parse(said: unknown): SaidFields;
}

/** What a turn has of a part, and the tools that it can call. */
export interface PartTurn<State> {
  state: State | undefined;
  tools: readonly ToolSpec[];
}

export interface BegunPart {
  fields: PrefixFields;
  /** The tools as the prefix has them. Absent: as the turn has them. */
  tools?: readonly ToolSpec[];
}

export interface KeptPart {
  /** Tools that need not be as the prefix has them. */
  covers: readonly string[];
  /** Tools that are added to the end of the prefix. */
  added: readonly ToolSpec[];
  /** Whether a new prefix would say what this one does not: a compaction makes one. */
  isOutdated: boolean;
}

export interface ToldPart {
  /** Sentences; none where the model knows everything. */
  lines: readonly string[];
  said: SaidFields;
  /** What the model knows with them. */
  told: ToldFields;
  /** Tools that the model knows from notices alone. */
  added?: readonly string[];
  /** Tools that it knows to be gone: they are not off. */
  removed?: readonly string[];
}

/** A part, and what the turn has of it. */
export interface PartState {
  part: PromptPart;
  /** Undefined: nothing. */
  state: unknown;
}
