import type { JsonObject } from '../../platform/json.js';
import { isStorable } from '../../storage/connection.js';
import { parseMemoryPath } from '../memory-path.js';
import type { Config } from '../../config/config.js';

/** A command of the memory tool, with paths as they are stored. */
export type MemoryCommand =
  | { command: 'view'; path: string; range?: readonly [first: number, last: number] }
  | { command: 'create'; path: string; content: string }
  | { command: 'str_replace'; path: string; old: string; replacement: string }
  | { command: 'insert'; path: string; line: number; text: string }
  | { command: 'delete'; path: string }
  | { command: 'rename'; path: string; to: string };

/** The result of a command. */
export interface MemoryResult {
  status: 'success' | 'error';
  /** The text for the model. */
  output: string;
}

const commandNames = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] as const;
const path = { type: 'string' } as const;

/** The input of the tool: the provider keeps the schema of its model to itself. */
export const memoryInputSchema: JsonObject = {
  type: 'object',
  properties: {
    command: { type: 'string', enum: [...commandNames] },
    path,
    view_range: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
    file_text: { type: 'string' },
    old_str: { type: 'string' },
    new_str: { type: 'string' },
    insert_line: { type: 'integer', minimum: 0 },
    insert_text: { type: 'string' },
    old_path: path,
    new_path: path,
  },
  required: ['command'],
};

class Fault extends Error {}

/** Parses an input that fits the schema. */
export function parseMemoryCommand(input: JsonObject): MemoryCommand | { problem: string } {
  try {
    return commandOf(input);
  } catch (error) {
    if (error instanceof Fault) return { problem: error.message };
    throw error;
  }
}

function commandOf(input: JsonObject): MemoryCommand {
  const command = commandNames.find((name) => name === input['command']);
  const fields = new Fields(input, command);
  switch (command) {
    case 'view':
      return { command, path: fields.path('path'), ...fields.range() };
    case 'create':
      return { command, path: fields.path('path'), content: fields.text('file_text') };
    case 'str_replace': {
      const old = fields.text('old_str');
      if (old === '') throw new Fault('str_replace: old_str must not be empty');
      return { command, path: fields.path('path'), old, replacement: fields.text('new_str') };
    }
    case 'insert':
      return {
        command,
        path: fields.path('path'),
        line: fields.line(),
        text: fields.text('insert_text'),
      };
    case 'delete':
      return { command, path: fields.path('path') };
    case 'rename':
      return { command, path: fields.path('old_path'), to: fields.path('new_path') };
    case undefined:
      throw new Fault(`command must be one of ${commandNames.join(', ')}`);
  }
}

class Fields {
  constructor(
    private readonly input: JsonObject,
    private readonly command: string | undefined,
  ) {}

  path(name: string): string {
    const parsed = parseMemoryPath(this.text(name));
    if ('problem' in parsed) throw new Fault(parsed.problem);
    return parsed.path;
  }

  text(name: string): string {
    const value = this.input[name];
    if (typeof value !== 'string') throw new Fault(`${this.command} needs ${name}, a text`);
    if (isStorable(value)) return value;
    throw new Fault(`${name} must be text: it has NUL characters, or halves of a character`);
  }

  line(): number {
    const value = this.input['insert_line'];
    if (typeof value === 'number') return value;
    throw new Fault('insert needs insert_line, the number of the line before the new text');
  }

  range(): { range?: readonly [number, number] } {
    const value = this.input['view_range'];
    if (value === undefined || value === null) return {};
    const [first, last] = Array.isArray(value) ? value : [];
    if (typeof first === 'number' && typeof last === 'number') return { range: [first, last] };
    throw new Fault('view_range must be two line numbers');
  }
}

/** A file as a command finds it. */
export interface MemoryFile {
  path: string;
  version: number;
  /** Bytes in UTF-8. */
  bytes: number;
  /** The turn that wrote it; null: its owner did, by the API. */
  turnId: string | null;
  updatedAt: Date;
  /** Undefined: the command is not about this file. */
  content: string | undefined;
}

/** A memory as a command finds it. */
export interface MemoryState {
  files: ReadonlyMap<string, MemoryFile>;
  /** Versions that the session's model was shown last, by path. */
  seen: ReadonlyMap<string, number>;
  quota: MemoryQuota;
}

/** Limits of one memory. */
export interface MemoryQuota {
  files: number;
  /** Most bytes of a file. */
  fileBytes: number;
  /** Most bytes of all files together. */
  bytes: number;
}

/** Files to write, with their new content, and to remove; a moved file keeps its content. */
export type MemoryChange =
  | { type: 'write'; path: string; content: string }
  | { type: 'remove'; paths: readonly string[] }
  | { type: 'move'; moves: readonly { from: string; to: string }[] };

/** The result of a command, with the change that it makes. */
export interface MemoryOutcome extends MemoryResult {
  change?: MemoryChange;
  /** Files that the output shows as they are now: the session has seen their versions. */
  shown?: readonly string[];
}

export type QuotaConfig = Pick<Config, 'memoryFiles' | 'memoryFileBytes' | 'memoryBytes'>;

export function quotaOf({
  memoryFiles: files,
  memoryFileBytes: fileBytes,
  memoryBytes: bytes,
}: QuotaConfig): MemoryQuota {
  return { files, fileBytes, bytes };
}
