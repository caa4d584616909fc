import type { HookCallback, HookCallbackMatcher } from './query-options.js';

/** A hook that an event is told to. */
export interface MatchedHook {
  run: HookCallback;
  timeoutMs: number;
}

const plainName = /^[\w*-]+$/;

/** Whether a matcher is for a tool: its name, a list as `Write|Edit`, or a regular expression. Pure. */
export function matches(matcher: string | undefined, toolName: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  const names = matcher.split('|');
  if (names.every((name) => plainName.test(name) && !name.includes('*'))) {
    return names.includes(toolName);
  }
  return new RegExp(`^(?:${matcher})$`).test(toolName);
}

/** Whether any hook may be for a tool of an MCP server: a list without such names is not. Pure. */
export function mayMatchMcp(matchers: readonly HookCallbackMatcher[]): boolean {
  return matchers.some(({ matcher = '', hooks }) => {
    const names = matcher.split('|');
    const isList = names.every((name) => plainName.test(name) && !name.includes('*'));
    return hooks.length > 0 && (!isList || names.some((name) => name.startsWith('mcp__')));
  });
}

/** Whether any hook is for a tool. Pure. */
export function hasHook(matchers: readonly HookCallbackMatcher[], toolName: string): boolean {
  return matchers.some(({ matcher, hooks }) => hooks.length > 0 && matches(matcher, toolName));
}

/** The hooks that are for a tool, or for an event without one. @param standardMs their time where a matcher sets none. Pure. */
export function hooksFor(
  matchers: readonly HookCallbackMatcher[],
  toolName: string | undefined,
  standardMs: number,
): MatchedHook[] {
  return matchers
    .filter(({ matcher }) => toolName === undefined || matches(matcher, toolName))
    .flatMap(({ hooks, timeout }) => {
      const timeoutMs = timeout === undefined ? standardMs : timeout * 1_000;
      return hooks.map((run) => ({ run, timeoutMs }));
    });
}
