import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import { systemClock, type Clock } from '../platform/clock.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { ParsedFiles } from '../platform/parsing/load-file.js';
import { ConfigError } from '../config/config.js';
import { AgentFiles, isHarnessPersona, type AgentEntry, type DefinedAgent } from './agent-files.js';
import {
  checkEntries,
  findDuplicates,
  type AgentProblem,
  type KnownNames,
  faultsOf,
  placeOf,
  type ReferenceContext,
  AgentsInvalidError,
  checkAgents,
} from './check-agents.js';
import {
  assertInstructionRoot,
  parseAgentsDefaults,
  type AgentsDefaults,
} from './instruction-root.js';
import { summarizeAgent, type AgentSummary } from './summarize-agent.js';
import type { Persona, AgentFile } from './parse-agent-file.js';
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
      this.#agentsFile.load(join(this.instructionRoot, 'AGENTS.md'), (text) => {
        const defaults = parseAgentsDefaults(text);
        for (const { line, message } of defaults.problems) {
          this.#onProblem(`AGENTS.md:${line}`, `${message}; left out`);
        }
        return defaults;
      }),
    );
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
    for (const problem of findDuplicates(own)) this.#versions.report([problem]);
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

/**
 * Chooses the version of an agent's file that applies: the last version without faults, until the file is
 * gone. A file that never was without faults applies without any tool, as the part that could not be
 * parsed may have been a prohibition.
 */
class AgentVersions {
  readonly #onProblem: (problem: AgentProblem) => void;
  /** The last version without faults, by file. */
  readonly #good = new Map<string, { version: AgentFile; persona: Persona }>();
  readonly #reported = new Map<string, { version: AgentFile | undefined; text: string }>();

  /** @param onProblem called with each fault once per version of the file. */
  constructor(onProblem: (problem: AgentProblem) => void) {
    this.#onProblem = onProblem;
  }

  choose({ name, file }: AgentEntry, version: AgentFile, context: ReferenceContext): Persona {
    const good = this.#good.get(file);
    const faults = faultsOf(version, context);
    if (faults.length === 0) {
      this.#reported.delete(file);
      if (good?.version === version) return good.persona;
      const persona = { name, file, ...version.content };
      this.#good.set(file, { version, persona });
      return persona;
    }
    const effect = good
      ? 'the last good version stays'
      : 'the agent gets no tools until this is corrected';
    this.report(
      faults.map(({ line, message }) => ({ file, line, message: `${message}; ${effect}` })),
      version,
    );
    return good?.persona ?? withoutTools({ name, file, ...version.content });
  }

  /** Reports the faults of a file, unless they were reported for this version. */
  report(problems: readonly AgentProblem[], version?: AgentFile): void {
    const [first] = problems;
    if (first === undefined) return;
    const text = problems.map(({ line, message }) => `${line}: ${message}`).join('\n');
    const reported = this.#reported.get(first.file);
    if (reported?.text === text && reported.version === version) return;
    this.#reported.set(first.file, { version, text });
    for (const problem of problems) this.#onProblem(problem);
  }

  /** Forgets every file that is not one of `files`. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const known of [this.#good, this.#reported]) {
      for (const file of known.keys()) if (!files.has(file)) known.delete(file);
    }
  }
}

/** The persona without tools; all are also denied, because a turn may name tools of its own. */
function withoutTools(persona: Persona): Persona {
  return {
    ...persona,
    tools: [],
    permissions: { deny: ['*'] },
  };
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
  for (const { file, better } of await new AgentFiles(instructionRoot, []).ignored()) {
    options.onProblem?.(
      file,
      `this file is no agent: a name is 1 to 64 letters, digits, "_" or "-", and ends in .md; rename it, for example ${better}`,
    );
  }
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
async function requireFolder(instructionRoot: string): Promise<void> {
  const isFolder = await stat(instructionRoot).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return;
  throw new ConfigError([
    `TURNPIKE_INSTRUCTION_ROOT names ${instructionRoot}, and there is no such folder. Make it, with an agent in agents/NAME.md (docs/guide/named-agents.md), or correct the variable`,
  ]);
}
