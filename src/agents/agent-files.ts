import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../platform/error-code.js';
import { ParsedFiles } from '../platform/parsing/load-file.js';
import { isWithin } from '../platform/is-within.js';
import type { WrittenText } from '../platform/text/written-text.js';
import { parseAgentFile, unreadableAgent, type AgentFile } from './parse-agent-file.js';
import { betterFileName, personaOfFile } from './persona-name.js';

/** A file of `agents/` that defines an agent. */
export interface AgentEntry {
  name: string;
  /** Path below the instruction root, as `agents/AGENT_EDITOR.md`; `createTurnpike.agents.NAME` of a host's. */
  file: string;
}

/** An agent in TypeScript, which is fixed from the start on. */
export interface DefinedAgent extends AgentEntry {
  agent: AgentFile;
}

/** The files of an instruction root's agents, each version parsed once. */
export class AgentFiles {
  readonly #parsed = new ParsedFiles<AgentFile>();

  /** @param defined the agents that are no Markdown. */
  constructor(
    readonly instructionRoot: string,
    private readonly defined: readonly DefinedAgent[],
  ) {}

  /**
   * Lists the files, sorted by name; of two files with one name, one that is no Markdown comes first, then
   * `AGENT_<NAME>.md`. Empty when the root has no `agents` folder, and no agent is defined elsewhere.
   */
  async list(): Promise<AgentEntry[]> {
    const files = await namesIn(join(this.instructionRoot, 'agents'));
    const written = files.flatMap((file) => {
      const name = personaOfFile(file);
      return name === undefined ? [] : [{ name, file: `agents/${file}` }];
    });
    const defined = this.defined.map(({ name, file }) => ({ name, file }));
    return [...defined, ...written].sort(
      (a, b) => compare(a.name, b.name) || rank(a) - rank(b) || compare(a.file, b.file),
    );
  }

  /**
   * Files that are ignored for their names but were probably meant as agents, each with a better
   * name.
   */
  async ignored(): Promise<{ file: string; better: string }[]> {
    const files = await namesIn(join(this.instructionRoot, 'agents'));
    return files.sort().flatMap((file) => {
      const better = betterFileName(file);
      return better === undefined ? [] : [{ file: `agents/${file}`, better }];
    });
  }

  /**
   * Loads a file; undefined when it is no regular file, or its links lead out of the instruction
   * root.
   */
  async load({ file }: AgentEntry): Promise<AgentFile | undefined> {
    const defined = this.defined.find((one) => one.file === file);
    if (defined !== undefined) return defined.agent;
    const path = await resolveInside(this.instructionRoot, file);
    return path === undefined ? undefined : this.#parsed.load(path, parseWritten);
  }
}

function parseWritten(written: WrittenText): AgentFile {
  return 'fault' in written ? unreadableAgent(written.fault) : parseAgentFile(written.text);
}

function rank({ file }: AgentEntry): number {
  if (!file.endsWith('.md')) return 0;
  return isHarnessPersona(file) ? 1 : 2;
}

/** Whether a file is of a persona of the harness: its prompt may build on the other files of an instruction root. */
export function isHarnessPersona(file: string): boolean {
  return file.startsWith('agents/AGENT_');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The names in a folder; none where there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

/** Codes of a path that leads to nothing. */
const nowhere: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** The real path of `file` below `root`; undefined when it does not exist or its links lead outside. */
async function resolveInside(root: string, file: string): Promise<string | undefined> {
  try {
    const [realRoot, path] = await Promise.all([realpath(root), realpath(join(root, file))]);
    return isWithin(realRoot, path) ? path : undefined;
  } catch (error) {
    if (nowhere.includes(errorCode(error))) return undefined;
    throw error;
  }
}
