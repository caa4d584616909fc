import { join } from 'node:path';
import { systemClock, type Clock } from '../platform/clock.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { AgentFiles, isHarnessPersona, type AgentEntry } from './agent-files.js';
import { AgentVersions } from './agent-versions.js';
import { checkEntries, findDuplicates, type AgentProblem } from './check-agents.js';
import {
  assertInstructionRoot,
  parseAgentsDefaults,
  type AgentsDefaults,
} from './instruction-root.js';
import { summarizeAgent, type AgentSummary } from './summarize-agent.js';
import { ParsedFiles } from '../parsing/parsed-files.js';
import type { Persona } from './parse-agent-file.js';
import {
  canonicalPersonaName,
  DEFAULT_PERSONA,
  isPersonaName,
  namesLike,
  personaNotFound,
} from './persona-name.js';
import type { KnownNames } from './check-references.js';

export interface PersonaLibraryOptions extends KnownNames {
  /**
   * Called with each fault and its location (`agents/reader.md:4`), once per version. Default:
   * ignored.
   */
  onProblem?: (location: string, problem: string) => void;
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
    const { clock = systemClock, freshMs = 0, onProblem = () => undefined, ...known } = options;
    this.instructionRoot = instructionRoot;
    this.#known = known;
    this.#onProblem = onProblem;
    this.#files = new AgentFiles(instructionRoot);
    this.#versions = new AgentVersions(({ file, line, message }) =>
      onProblem(`${file}:${line}`, message),
    );
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
    if ((await this.#entries()).length === 0) await this.#assertValid();
    const persona = await this.load(name);
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
