import type { PermissionArgument } from '../permission-subject.js';
import { commandForms } from '../commands/command-forms.js';
import { splitCommand } from '../commands/split-command.js';
import {
  commandMatcher,
  matchText,
  onlyFit,
  pathMatcher,
  textMatcher,
  type Matcher,
  patternOf,
  pathBelow,
} from './match-pattern.js';
import { parsePermissionRule } from './permission-rules.js';

/** A tool call as permission rules see it. */
export interface RuledCall {
  tool: string;
  /** Texts that `deny` and `ask` rules search, any of which suffices; undefined: unknown. */
  any: readonly string[] | undefined;
  /** Whether a pattern may match something that the call does without showing it. */
  mayHave(pattern: string): boolean;
  /** Texts that `allow` rules must cover completely; undefined: no pattern covers the call. */
  all: readonly string[] | undefined;
  /** The argument, letter for letter. */
  texts: readonly string[];
  matcher(pattern: string): Matcher;
}

export function ruledCall(tool: string, argument: PermissionArgument | undefined): RuledCall {
  const { kind, texts = [], roots = [] } = argument ?? {};
  const matcher: RuledCall['matcher'] =
    kind === 'path' ? (pattern) => pathMatcher(pattern, roots) : textMatcher;
  const call = { tool, texts, matcher, mayHave: () => false };
  if (kind === undefined) return { ...call, any: undefined, all: undefined };
  if (kind !== 'command') return { ...call, any: texts, all: texts };
  const forms = texts.map(commandForms);
  return {
    tool,
    texts,
    matcher: commandMatcher,
    mayHave: (pattern) => forms.some((one) => one?.mayHave(pattern)),
    any: flatten(forms.map((one) => one?.texts)),
    all: flatten(texts.map(splitCommand)),
  };
}

/**
 * The first rule that matches any part of the call. A pattern for an unknown argument counts as a
 * match, and so does an invalid rule.
 */
export function findTouched(rules: readonly string[], call: RuledCall): string | undefined {
  return rules.find((text) => {
    const parsed = parsePermissionRule(text);
    if ('fault' in parsed) return true;
    const { tool, pattern } = parsed.rule;
    if (!matchText(tool, call.tool)) return false;
    return pattern === undefined || (call.any?.some(call.matcher(pattern)) ?? true);
  });
}

/** The first rule with a pattern that may match something the call does without showing it. */
export function findHidden(rules: readonly string[], call: RuledCall): string | undefined {
  return rules.find((text) => {
    const parsed = parsePermissionRule(text);
    if ('fault' in parsed || parsed.rule.pattern === undefined) return false;
    return matchText(parsed.rule.tool, call.tool) && call.mayHave(parsed.rule.pattern);
  });
}

/**
 * Rules that together cover everything the call does; undefined when a part is left. A rule without
 * a pattern covers every call, and a pattern equal to the whole argument covers that call.
 */
export function findCover(rules: readonly string[], call: RuledCall): string[] | undefined {
  const patterns: { text: string; pattern: string }[] = [];
  for (const text of rules) {
    const parsed = parsePermissionRule(text);
    if ('fault' in parsed || !matchText(parsed.rule.tool, call.tool)) continue;
    if (parsed.rule.pattern === undefined) return [text];
    patterns.push({ text, pattern: parsed.rule.pattern });
  }
  const cover = (matcher: RuledCall['matcher'], parts: readonly string[]) =>
    coverOf(
      patterns.map(({ text, pattern }) => ({ text, fits: matcher(pattern) })),
      parts,
    );
  const same = (pattern: string): Matcher => {
    const only = onlyFit(pattern);
    return (text) => text === only;
  };
  return cover(call.matcher, call.all ?? []) ?? cover(same, call.texts);
}

/** The first matching rule of each part; undefined when a part has none or there are no parts. */
function coverOf(
  rules: readonly { text: string; fits: Matcher }[],
  parts: readonly string[],
): string[] | undefined {
  const found = parts.map((part) => rules.find(({ fits }) => fits(part))?.text);
  const known = found.filter((text) => text !== undefined);
  return known.length === parts.length && known.length > 0 ? [...new Set(known)] : undefined;
}

/** Whether a rule applies to every call of the tool. */
export function isAboutWhole(rule: string, tool: string): boolean {
  const parsed = parsePermissionRule(rule);
  if ('fault' in parsed) return false;
  return parsed.rule.pattern === undefined && matchText(parsed.rule.tool, tool);
}

/** Whether a rule applies to some call of the tool. */
export function isAbout(rule: string, tool: string): boolean {
  const parsed = parsePermissionRule(rule);
  return !('fault' in parsed) && matchText(parsed.rule.tool, tool);
}

function flatten(lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  return known.length === lists.length ? known.flat() : undefined;
}

/**
 * The narrowest rules that allow this call, for an approval that lasts for the session: a rule for
 * each spelling of a path. A tool without a declared or given argument is allowed as a whole.
 */
export function grantsFor(tool: string, argument: PermissionArgument | undefined): string[] {
  const { kind, texts = [], roots = [] } = argument ?? {};
  if (texts.length === 0) return [tool];
  const patterns = texts.map((text) => {
    const below = roots.map((root) => pathBelow(root, text)).find((path) => path !== undefined);
    return patternOf(kind === 'path' ? (below ?? text) : text);
  });
  return [...new Set(patterns)].map((pattern) => `${tool}(${pattern})`);
}
