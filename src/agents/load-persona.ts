import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import {
  assertInstructionRoot,
  parseAgentsDefaults,
  type AgentsDefaults,
} from './instruction-root.js';
import { systemClock, type Clock } from '../platform/clock.js';
import { Remembered } from '../platform/remembered.js';
import { ParsedFiles } from './parsed-files.js';
import { parsePersona, type Persona } from './parse-persona.js';
import {
  canonicalPersonaName,
  isPersonaName,
  personaFile,
  personaNotFound,
  personaOfFile,
} from './persona-name.js';

export interface PersonaLibraryOptions {
  /** Hears what is wrong in a file, once per version of it. Default: nobody. */
  onProblem?: (file: string, problem: string) => void;
  /** How long an answer is given again without a look at the files, in ms. Default: 0. */
  freshMs?: number;
  clock?: Clock;
}

/** The personas and agents of one instruction root. Edits of its files show after `freshMs`. */
export class PersonaLibrary {
  readonly instructionRoot: string;
  readonly #onProblem: (file: string, problem: string) => void;
  readonly #personas = new ParsedFiles<Persona>();
  readonly #agents = new ParsedFiles<AgentsDefaults>();
  readonly #loaded: Remembered<Persona>;
  readonly #defaults: Remembered<AgentsDefaults | undefined>;
  readonly #valid: Remembered<void>;

  constructor(instructionRoot: string, options: PersonaLibraryOptions = {}) {
    this.instructionRoot = instructionRoot;
    this.#onProblem = options.onProblem ?? (() => undefined);
    const { clock = systemClock, freshMs = 0 } = options;
    this.#loaded = new Remembered(clock, freshMs);
    this.#defaults = new Remembered(clock, freshMs);
    this.#valid = new Remembered(clock, freshMs);
  }

  /**
   * The persona of `agents/AGENT_<NAME>.md`; `-` in the name stands for `_`.
   *
   * @throws TypedError 404 `PERSONA_NOT_FOUND` for a bad name, a missing file, or a file whose
   * links lead out of the instruction root.
   */
  load(name: string): Promise<Persona> {
    return this.#loaded.ask(name, () => this.#load(name));
  }

  async #load(name: string): Promise<Persona> {
    const persona = isPersonaName(name) ? await this.#read(name) : undefined;
    if (persona) return persona;
    throw personaNotFound(name, this.instructionRoot, await this.list());
  }

  /** The names that have a file, sorted. Empty when the root has no `agents` folder. */
  async list(): Promise<string[]> {
    try {
      const files = await readdir(join(this.instructionRoot, 'agents'));
      return files.flatMap((file) => personaOfFile(file) ?? []).sort();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      throw error;
    }
  }

  /** What the front matter of AGENTS.md says for every turn; undefined without the file. */
  async globalDefaults(): Promise<AgentsDefaults | undefined> {
    return this.#defaults.ask('AGENTS.md', () =>
      this.#agents.read(join(this.instructionRoot, 'AGENTS.md'), (text) =>
        this.#reported('AGENTS.md', parseAgentsDefaults(text)),
      ),
    );
  }

  /** @throws TypedError 500 `INSTRUCTION_ROOT_INVALID` with what is missing or of a wrong kind. */
  async assertValid(): Promise<void> {
    await this.#valid.ask('', () => assertInstructionRoot(this.instructionRoot));
  }

  async #read(name: string): Promise<Persona | undefined> {
    const file = join('agents', personaFile(name));
    const path = await resolveInside(this.instructionRoot, file);
    if (path === undefined) return undefined;
    const canonical = canonicalPersonaName(name);
    const persona = await this.#personas.read(path, (text) =>
      this.#reported(file, parsePersona(canonical, text)),
    );
    // Two names may link to one file.
    return persona && persona.name !== canonical ? { ...persona, name: canonical } : persona;
  }

  #reported<T extends { problems: readonly string[] }>(file: string, parsed: T): T {
    for (const problem of parsed.problems) this.#onProblem(file, problem);
    return parsed;
  }
}

/** The real path of `file` below `root`; undefined when there is none or when it lies outside. */
async function resolveInside(root: string, file: string): Promise<string | undefined> {
  try {
    const [realRoot, path] = await Promise.all([realpath(root), realpath(join(root, file))]);
    const way = relative(realRoot, path);
    return isAbsolute(way) || way === '..' || way.startsWith(`..${sep}`) ? undefined : path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
