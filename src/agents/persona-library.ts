import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import { systemClock, type Clock } from '../platform/clock.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { ParsedFiles } from '../platform/parsing/load-file.js';
import { ConfigError } from '../config/config.js';
import { AgentFiles, isHarnessPersona, type AgentEntry, type DefinedAgent } from './agent-files.js';
import { AgentVersions } from './agent-versions.js';
import {
  checkEntries,
  findDuplicates,
  type AgentProblem,
  type KnownNames,
  placeOf,
  AgentsInvalidError,
  checkAgents,
} from './check-agents.js';
import {
  assertInstructionRoot,
  parseAgentsDefaults,
  type AgentsDefaults,
} from './instruction-root.js';
import { summarizeAgent, type AgentSummary } from './summarize-agent.js';
import type { Persona } from './parse-agent-file.js';
import {
  canonicalPersonaName,
  DEFAULT_PERSONA,
  isPersonaName,
  namesLike,
  personaNotFound,
} from './persona-name.js';

interface PersonaLibraryOptions extends KnownNames {
  /**
   * Called with each fault and its location (`agents/reader.md:4`), once per version. Default:
   * ignored.
   */
  onProblem?: (location: string, problem: string) => void;
  /** Agents that are no Markdown. Default: none. */
  defined?: readonly DefinedAgent[];
  /** TTL of answers, during which files are not looked at, in ms. Default: 0. */
  freshMs?: number;
  clock?: Clock;
}

/**
 * The personas and agents of one instruction root. Edits of files take effect after `freshMs`; see
 * `AgentVersions` for edits with faults.
 */
export class PersonaLibrary {
  readonly instructionRoot: string;
  readonly #known: KnownNames;
  readonly #onProblem: (location: string, problem: string) => void;
  readonly #files: AgentFiles;
  readonly #versions: AgentVersions;
  readonly #agentsFile = new ParsedFiles<AgentsDefaults>();
  readonly #loaded: TtlCache<Persona>;
  readonly #listed: TtlCache<AgentSummary[]>;
  readonly #problems: TtlCache<AgentProblem[]>;
  readonly #defaults: TtlCache<AgentsDefaults | undefined>;
  readonly #valid: TtlCache<void>;
  readonly #ignored = new Set<string>();

  constructor(instructionRoot: string, options: PersonaLibraryOptions = {}) {
    const { clock = systemClock, freshMs = 0, onProblem = () => undefined, ...rest } = options;
    const { defined = [], ...known } = rest;
    this.instructionRoot = instructionRoot;
    this.#known = known;
    this.#onProblem = onProblem;
    this.#files = new AgentFiles(instructionRoot, defined);
    this.#versions = new AgentVersions((problem) => onProblem(placeOf(problem), problem.message));
    this.#loaded = new TtlCache(clock, freshMs);
    this.#listed = new TtlCache(clock, freshMs);
    this.#problems = new TtlCache(clock, freshMs);
    this.#defaults = new TtlCache(clock, freshMs);
    this.#valid = new TtlCache(clock, freshMs);
  }

  /**
   * Loads the persona of `agents/AGENT_<NAME>.md` or `agents/<name>.md`. `-` equals `_`, and case is
   * ignored when only one name matches then. Where there is no file of the default, a root's only agent is it.
   *
   * @throws TypedError 404 `PERSONA_NOT_FOUND` for a bad name, a missing file, or a file whose
   * links lead out of the instruction root.
   */
  load(name: string): Promise<Persona> {
    return this.#loaded.get(name, () => this.#load(name));
  }

  /**
   * Loads the persona of a turn: that of a name, or of the default. `AGENT_<NAME>.md` needs the whole instruction
   * root, other agents are a single file.
   *
   * @throws TypedError as `load` does; 500 `INSTRUCTION_ROOT_INVALID` that lists entries that are missing or of
   *   the wrong kind, also where there is no agent at all.
   */
  async loadForTurn(name: string): Promise<Persona> {
    const persona = await this.load(name).catch(async (error: unknown) => {
      if ((await this.#entries()).length === 0) await this.#assertValid();
      throw error;
    });
    if (isHarnessPersona(persona.file)) await this.#assertValid(persona.file);
    return persona;
  }

  /** Summaries of the agents that can be loaded, sorted by name. */
  agents(): Promise<AgentSummary[]> {
    return this.#listed.get('', async () => {
      const entries = await this.#entries();
      const personas = await this.#loadAll(entries);
      return personas.map((persona) => {
        const entry = entries.find(({ name }) => name === persona.name);
        return summarizeAgent(persona, entry?.file ?? '');
      });
    });
  }

  /** Faults of the agents' files as they are now, by file and line. */
  problems(): Promise<AgentProblem[]> {
    return this.#problems.get('', async () =>
      checkEntries(this.#files, await this.#entries(), this.#known),
    );
  }

  /** The agents that can be loaded, sorted by name. */
  async personas(): Promise<Persona[]> {
    return this.#loadAll(await this.#entries());
  }

  /** Defaults for every turn from the front matter of AGENTS.md; undefined without the file. */
  async globalDefaults(): Promise<AgentsDefaults | undefined> {
    return this.#defaults.get('AGENTS.md', () =>
      this.#agentsFile.load(join(this.instructionRoot, 'AGENTS.md'), (written) => {
        const defaults = parseAgentsDefaults(written);
        for (const { line, message } of defaults.problems) {
          this.#onProblem(placeOf({ file: 'AGENTS.md', line, message }), `${message}; left out`);
        }
        return defaults;
      }),
    );
  }

  /** Looks at every file, so that its faults are reported before a turn needs it. */
  async check(): Promise<void> {
    await Promise.all([this.#reportIgnored(), this.personas(), this.globalDefaults()]);
  }

  /** Reports each file once, while it is there. */
  async #reportIgnored(): Promise<void> {
    const ignored = await this.#files.ignored();
    const there = new Set(ignored.map(({ file }) => file));
    for (const file of this.#ignored) if (!there.has(file)) this.#ignored.delete(file);
    for (const { file, better } of ignored) {
      if (this.#ignored.has(file)) continue;
      this.#ignored.add(file);
      this.#onProblem(
        file,
        `this file is no agent: a name is 1 to 64 letters, digits, "_" or "-", and ends in .md; rename it, for example ${better}`,
      );
    }
  }

  async #assertValid(persona?: string): Promise<void> {
    await this.#valid.get(persona ?? '', () =>
      assertInstructionRoot(this.instructionRoot, persona),
    );
  }

  async #load(name: string): Promise<Persona> {
    const entries = await this.#entries();
    const names = namesOf(entries);
    const like = isPersonaName(name) ? namesLike(name, names) : [];
    const isDefault = canonicalPersonaName(name) === DEFAULT_PERSONA;
    const [found, ...others] = like.length === 0 && isDefault ? names : like;
    const clear = found !== undefined && others.length === 0;
    const persona = clear ? await this.#loadFrom(found, entries) : undefined;
    if (persona) return persona;
    throw personaNotFound(name, this.instructionRoot, names);
  }

  async #loadAll(entries: readonly AgentEntry[]): Promise<Persona[]> {
    const found = await Promise.all(namesOf(entries).map((name) => this.#loadFrom(name, entries)));
    return found.flatMap((persona) => persona ?? []);
  }

  async #entries(): Promise<AgentEntry[]> {
    const entries = await this.#files.list();
    this.#versions.keepOnly(new Set(entries.map(({ file }) => file)));
    return entries;
  }

  /** The persona of the first of its files that can be loaded. */
  async #loadFrom(name: string, entries: readonly AgentEntry[]): Promise<Persona | undefined> {
    const own = entries.filter((entry) => entry.name === name);
    if (own.length > 1) {
      for (const problem of findDuplicates(own)) this.#versions.report([problem]);
    }
    for (const entry of own) {
      const version = await this.#files.load(entry);
      if (version === undefined) continue;
      const context = { ...this.#known, name, agents: namesOf(entries) };
      return this.#versions.choose(entry, version, context);
    }
    return undefined;
  }
}

function namesOf(entries: readonly AgentEntry[]): string[] {
  return [...new Set(entries.map(({ name }) => name))];
}

export type OpenAgentsOptions = PersonaLibraryOptions &
  Required<Pick<PersonaLibraryOptions, 'knownTools' | 'knownTrees'>>;

/**
 * Checks and opens the agents of an instruction root.
 *
 * @throws ConfigError where the folder is missing; AgentsInvalidError with every fault by file and line.
 */
export async function openAgents(
  instructionRoot: string,
  options: OpenAgentsOptions,
): Promise<PersonaLibrary> {
  await requireFolder(instructionRoot);
  const problems = await checkAgents(instructionRoot, options);
  if (problems.length > 0) throw new AgentsInvalidError(problems);
  const library = new PersonaLibrary(instructionRoot, options);
  await library.check();
  // A root without the files of a persona fails its turns alone; the operator gets a warning at the start.
  const personas = await library.personas();
  const first = personas.find(({ file }) => isHarnessPersona(file)) ?? personas[0];
  await library.loadForTurn(first?.name ?? DEFAULT_PERSONA).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    options.onProblem?.(instructionRoot, message);
  });
  return library;
}

/** @throws ConfigError where there is no such folder: no turn could run. */
export async function requireFolder(instructionRoot: string): Promise<void> {
  const isFolder = await stat(instructionRoot).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return;
  throw new ConfigError([
    `TURNPIKE_INSTRUCTION_ROOT names ${instructionRoot}, and there is no such folder. Make it, with an agent in agents/NAME.md (docs/guide/named-agents.md), or correct the variable`,
  ]);
}
