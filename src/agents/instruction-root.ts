import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { TypedError } from '../errors/typed-error.js';
import { parseLeniently } from '../platform/parsing/parse-value.js';
import { emptyAsAbsent, filledText } from '../platform/parsing/shapes.js';
import { compact } from '../platform/compact.js';
import type { AgentConfig } from '../storage/shapes/stored-options.js';
import {
  atLines,
  splitFrontMatter,
  unreadableMatter,
  type LineProblem,
} from '../platform/parsing/front-matter.js';
import type { WrittenText } from '../platform/text/written-text.js';
import { limitsShape } from './agent-shape.js';

type EntryKind = 'directory' | 'file';

const requiredEntries: readonly (readonly [string, EntryKind])[] = [
  ['agents', 'directory'],
  ['docs', 'directory'],
  ['AGENTS.md', 'file'],
  ['README.md', 'file'],
  ['docs/DIRECTIVE.md', 'file'],
  ['docs/CONTRACT.md', 'file'],
  ['docs/SPEC.md', 'file'],
  ['docs/TYPES.md', 'file'],
  ['docs/PLAN.md', 'file'],
];

/**
 * Checks that the instruction root has every entry that personas of the harness need, of the right kind.
 *
 * @param persona the file of the persona that needs them; absent: the root has no agent.
 * @throws TypedError 500 `INSTRUCTION_ROOT_INVALID`, details `{instructionRoot, missingEntries[],
 * invalidEntries[]}` (paths relative to the root, in the order above; invalid is the wrong kind).
 */
export async function assertInstructionRoot(
  instructionRoot: string,
  persona?: string,
): Promise<void> {
  const found = await Promise.all(
    requiredEntries.map(async ([entry, kind]) => ({
      entry,
      kind,
      is: await kindOf(join(instructionRoot, entry)),
    })),
  );
  const missingEntries = found.filter(({ is }) => is === 'missing').map(({ entry }) => entry);
  const invalidEntries = found
    .filter(({ is, kind }) => is !== 'missing' && is !== kind)
    .map(({ entry }) => entry);
  if (missingEntries.length === 0 && invalidEntries.length === 0) return;
  const faults = [
    ...missingEntries.map((entry) => `${entry} is missing`),
    ...invalidEntries.map((entry) => `${entry} is of the wrong kind`),
  ];
  throw new TypedError('INSTRUCTION_ROOT_INVALID', {
    message: persona === undefined ? noAgent(instructionRoot) : notWhole(persona, faults),
    details: { instructionRoot, missingEntries, invalidEntries },
  });
}

const page = 'docs/guide/named-agents.md explains the files.';

function noAgent(instructionRoot: string): string {
  return `The instruction root ${instructionRoot} has no agent. Add agents/NAME.md, which is enough for a turn, or set TURNPIKE_INSTRUCTION_ROOT to another folder; ${page}`;
}

function notWhole(persona: string, faults: readonly string[]): string {
  const plain = persona.replace('AGENT_', '');
  return `The persona ${persona} needs the whole instruction root, which is not complete: ${faults.join(', ')}. Add these, or rename the file to ${plain}, which needs none of them; ${page}`;
}

async function kindOf(path: string): Promise<EntryKind | 'missing' | 'other'> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return 'directory';
    return stats.isFile() ? 'file' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // An entry that exists but cannot be examined is not missing.
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'other';
  }
}

export interface AgentsDefaults {
  /** Model of turns for which neither the options nor the environment give one. */
  model?: string;
  /** Limits of turns, unless the agent or the request sets them. */
  agentConfig?: Partial<AgentConfig>;
  /** Faults of the file, each of which was left out. */
  problems: readonly LineProblem[];
}

/** Defaults in the front matter of `AGENTS.md`. Other fields of it are for people. */
const defaultsShape = emptyAsAbsent(
  z.object({ model: z.exactOptional(filledText()), agent_config: z.exactOptional(limitsShape) }),
);

/** Parses the front matter of the instruction root's AGENTS.md. Never throws. */
export function parseAgentsDefaults(file: WrittenText): AgentsDefaults {
  const matter = 'fault' in file ? unreadableMatter(file.fault) : splitFrontMatter(file.text);
  const { value, faults } = parseLeniently(defaultsShape, matter.fields);
  const { model, agent_config: agentConfig } = value;
  return compact({
    model,
    agentConfig,
    problems: [...matter.problems, ...atLines(faults, matter)],
  });
}
