import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { compact } from '../../platform/compact.js';
import { unlessGone } from '../../platform/error-code.js';
import { findLookAlike } from '../../platform/files/look-alike-names.js';
import { ToolFailure, type ToolContext, type ToolDefinition } from '../tool.js';
import { locatePath, searchRoot, type LocatedPath, type SearchRoot } from './find-paths.js';

/** Names that an error shows. */
const NAMED = 5;

export interface ExistingPath extends LocatedPath {
  /** The path from the workdir, where names look like those that were asked for and are others. Absent: it is as asked. */
  instead?: string;
}

type PathTool = Pick<ToolDefinition, 'name' | 'effect' | 'deniedWith'>;

/**
 * Finds what is to be read. Where a name is not there, the only one of its folder that looks like it is meant.
 *
 * @param requested as for `locatePath`.
 * @throws ToolFailure as it does, and for what is not there, with names that are near it.
 */
export async function locateExisting(
  tool: PathTool,
  requested: string,
  context: ToolContext,
): Promise<ExistingPath> {
  const located = await locatePath(tool, requested, context);
  if (await isThere(located.path)) return located;
  const found = await followAlikes(tool, located, context);
  if ('path' in found) {
    const instead = path.relative(located.base, found.path);
    // Rules about the name that is there count as if it had been asked for.
    return { ...(await locatePath(tool, found.path, context)), instead };
  }
  throw new ToolFailure(
    `${tool.name}: ${requested}: no such file or directory${await nearOf(tool, found, context)}`,
  );
}

/** @param requested as for `locateExisting`; anything but text: the workdir. @throws ToolFailure as it does. */
export async function locateSearch(
  tool: PathTool,
  requested: unknown,
  context: ToolContext,
): Promise<SearchRoot & Pick<ExistingPath, 'instead'>> {
  const asked = typeof requested === 'string' ? requested : '.';
  const { instead, ...located } = await locateExisting(tool, asked, context);
  return { ...searchRoot(tool, located, context), ...compact({ instead }) };
}

/**
 * The end of an error about a file that does not exist: the names that look like it. Nothing is written to one of them.
 *
 * @returns empty: there is none.
 */
export async function describeAlikes(
  tool: PathTool,
  requested: string,
  context: ToolContext,
): Promise<string> {
  const located = await locatePath(tool, requested, context);
  const found = await followAlikes(tool, located, context);
  const missing =
    'path' in found
      ? {
          base: located.base,
          folder: path.dirname(found.path),
          names: [path.basename(found.path)],
        }
      : found;
  return nearOf(tool, missing, context);
}

interface Missing {
  /** The workdir. */
  base: string;
  folder: string;
  /** Names of the folder that are near the one that is not there, sorted. */
  names: readonly string[];
}

/**
 * Goes from the workdir to a path, where a name is missing by the only one that looks like it.
 *
 * @throws ToolFailure where that one may not be reached: it may be a link that leads out.
 */
async function followAlikes(
  tool: PathTool,
  { path: wanted, base }: LocatedPath,
  context: ToolContext,
): Promise<{ path: string } | Missing> {
  let folder = base;
  for (const name of path.relative(base, wanted).split(path.sep)) {
    const next = path.join(folder, name);
    if (await isThere(next)) {
      folder = next;
      continue;
    }
    const found = await findLookAlike(folder, name);
    if ('near' in found) return { base, folder, names: found.near };
    ({ path: folder } = await locatePath(tool, path.join(folder, found.only), context));
  }
  return { path: folder };
}

/** The names that the rules let the tool reach. */
async function nearOf(
  tool: PathTool,
  { base, folder, names }: Missing,
  context: ToolContext,
): Promise<string> {
  const shown: string[] = [];
  for (const name of names) {
    const isOpen = await locatePath(tool, path.join(folder, name), context).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ToolFailure) return false;
        throw error;
      },
    );
    if (isOpen) shown.push(JSON.stringify(path.relative(base, path.join(folder, name))));
    if (shown.length === NAMED) break;
  }
  return shown.length === 0 ? '' : `; there is ${shown.join(', ')}`;
}

/** An output that begins with the name that was taken, where another one was asked for. */
export function nameInstead({ instead }: { instead?: string | undefined }, output: string): string {
  return instead === undefined ? output : `[the name is ${JSON.stringify(instead)}]\n${output}`;
}

async function isThere(file: string): Promise<boolean> {
  return (await unlessGone(lstat(file))) !== undefined;
}
