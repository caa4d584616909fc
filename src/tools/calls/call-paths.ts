import { resolve } from 'node:path';
import { canonicalize } from '@anthropic-ai/sdk/tools/agent-toolset/fs-util';
import { isPlainObject } from '../../platform/json.js';
import type { PermissionArgument } from '../../governance/permission-subject.js';
import { deniedPaths } from '../../governance/permissions/own-paths.js';
import type { OfferRules } from '../../governance/permissions/offer-tools.js';
import type { ToolDefinition, ToolContext } from '../tool.js';

/**
 * The argument of a call that permission rules match. A path is resolved by the function that the SDK's
 * file tools use, so that the decision is about the file that will be opened: a link becomes its target,
 * also a dangling link. A missing path is the folder itself.
 *
 * @param workdir absolute.
 * @returns undefined for a tool without such an argument, and for a path that contains NUL or whose links
 * cannot be followed: then rules that deny by pattern apply, and rules that allow by pattern do not.
 */
export async function findArgument(
  { permissionArgument }: Pick<ToolDefinition, 'permissionArgument'>,
  input: unknown,
  workdir: string,
): Promise<PermissionArgument | undefined> {
  if (permissionArgument === undefined) return undefined;
  const { name, kind } = permissionArgument;
  const argument = isPlainObject(input) ? input[name] : undefined;
  if (kind !== 'path') return { kind, texts: typeof argument === 'string' ? [argument] : [] };
  const path = argument ?? '';
  // A path that is no text never reaches the tool: the input check refuses it.
  if (typeof path !== 'string') return { kind, texts: [] };
  const root = resolve(workdir);
  try {
    const realRoot = await canonicalize(root);
    const real = await canonicalize(resolve(realRoot, path));
    return { kind, texts: unique(resolve(root, path), real), roots: unique(root, realRoot) };
  } catch {
    return undefined;
  }
}

function unique(...paths: string[]): string[] {
  return [...new Set(paths)];
}

/**
 * The paths that a turn's rules deny to searches. A turn's rules do not change while it runs.
 *
 * @param roots spellings of the project root: as it is named, and without links.
 */
export function openPathDenials(
  rules: OfferRules,
  roots: readonly string[],
): NonNullable<ToolContext['isDenied']> {
  const known = new Map<string, ReturnType<typeof deniedPaths>>();
  return (tool, spellings) => {
    const denies = known.get(tool.name) ?? deniedPaths(tool, rules, roots);
    known.set(tool.name, denies);
    return denies(spellings);
  };
}

/**
 * The target of an absolute path, resolved as the file tools do, also when its end does not exist; the
 * path itself when its links cannot be followed.
 */
export function resolveLinks(one: string): Promise<string> {
  return canonicalize(one).catch(() => one);
}

/** The paths and their link targets, each once. */
export async function withLinkTargets(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(async (one) => [one, await resolveLinks(one)]));
  return [...new Set(found.flat())];
}
