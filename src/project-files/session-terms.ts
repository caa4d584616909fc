import { compact } from '../platform/compact.js';
import type { PermissionMode, PermissionRules } from '../storage/shapes/stored-options.js';
import type { ProjectFiles } from './read-project.js';

/** Terms of a session that its request and its project have a say in. */
export interface SessionTerms {
  /** Null: no rules. */
  permissions: PermissionRules | null;
  /** Absent: the request names none. */
  mode?: string;
  /** Null: no servers. */
  mcpServers: Record<string, unknown> | null;
}

export interface TrustOfProject {
  /** Whether the operator trusts the folder: its files may allow calls, and start commands. */
  isTrusted: boolean;
  /** Whether any session may allow calls in advance. */
  mayAllow: boolean;
}

/** What a session with the files of its project writes there, it has as its own terms later: a person is asked. */
const ownFiles = ['edit', 'write'].flatMap((tool) => [`${tool}(.claude/**)`, `${tool}(.mcp.json)`]);

/** Modes that a project may have without trust: they allow nothing. */
const strict: readonly (PermissionMode | undefined)[] = ['plan', 'dontAsk'];

/**
 * The terms of a session with those of its project's files. What the request says wins; rules are put together. What holds
 * back always counts; what allows calls, or runs a command, counts in a folder that the operator trusts. Pure.
 */
export function addProject(
  given: SessionTerms,
  { settings, servers }: Pick<ProjectFiles, 'settings' | 'servers'>,
  { isTrusted, mayAllow }: TrustOfProject,
): SessionTerms {
  const { allow = [], ask = [], deny = [] } = given.permissions ?? {};
  const lists = {
    allow: [...allow, ...(isTrusted && mayAllow ? settings.allow : [])],
    ask: [...ask, ...settings.ask, ...ownFiles],
    deny: [...deny, ...settings.deny],
  };
  const filled = Object.entries(lists).filter(([, rules]) => rules.length > 0);
  const permissions = Object.fromEntries(filled.map(([list, rules]) => [list, distinct(rules)]));
  const isModeTaken = strict.includes(settings.mode) || (isTrusted && mayAllow);
  const mode = given.mode ?? (isModeTaken ? settings.mode : undefined);
  const usable = Object.entries(servers).filter(
    ([, server]) => isTrusted || server['command'] === undefined,
  );
  const all = { ...Object.fromEntries(usable), ...given.mcpServers };
  const mcpServers = Object.keys(all).length === 0 ? given.mcpServers : all;
  return { permissions, mcpServers, ...compact({ mode }) };
}

function distinct<T>(rules: readonly T[]): T[] {
  return [...new Set(rules)];
}
