import type { PermissionArgument } from '../permission-subject.js';
import { commandReadings } from '../commands/command-readings.js';
import {
  commandMatcher,
  matchText,
  onlyFit,
  pathMatcher,
  textMatcher,
  type Matcher,
} from './match-pattern.js';
import { parsePermissionRule } from './permission-rules.js';
import { splitCommand } from '../commands/split-command.js';

/** A call as rules see it. */
export interface RuledCall {
  tool: string;
  /** What a rule that forbids looks for, any of it; undefined: it cannot be known. */
  any: readonly string[] | undefined;
  /** Whether a pattern may be about what the call does and does not show. */
  mayHave(pattern: string): boolean;
  /** What rules that allow must cover, all of it; undefined: no pattern does. */
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
  const readings = texts.map(commandReadings);
  return {
    tool,
    texts,
    matcher: commandMatcher,
    mayHave: (pattern) => readings.some((one) => one?.mayHave(pattern)),
    any: flatten(readings.map((one) => one?.texts)),
    all: flatten(texts.map(splitCommand)),
  };
}

/**
 * The first rule that the call touches by any of what it does. A pattern whose argument cannot be
 * known counts as touched, and so does a rule that cannot be read.
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

/** The first rule with a pattern that may be about what the call does and does not show. */
export function findHidden(rules: readonly string[], call: RuledCall): string | undefined {
  return rules.find((text) => {
    const parsed = parsePermissionRule(text);
    if ('fault' in parsed || parsed.rule.pattern === undefined) return false;
    return matchText(parsed.rule.tool, call.tool) && call.mayHave(parsed.rule.pattern);
  });
}

/**
 * The rules that together cover everything the call does; undefined when something is left. One
 * that names the tool alone covers every call, and so does one that is the call letter for letter.
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

/** The first rule for each part; undefined when there are no parts, or none for one of them. */
function coverOf(
  rules: readonly { text: string; fits: Matcher }[],
  parts: readonly string[],
): string[] | undefined {
  const found = parts.map((part) => rules.find(({ fits }) => fits(part))?.text);
  const known = found.filter((text) => text !== undefined);
  return known.length === parts.length && known.length > 0 ? [...new Set(known)] : undefined;
}

/** Whether a rule is about every call of the tool. */
export function isAboutWhole(rule: string, tool: string): boolean {
  const parsed = parsePermissionRule(rule);
  if ('fault' in parsed) return false;
  return parsed.rule.pattern === undefined && matchText(parsed.rule.tool, tool);
}

/** Whether a rule is about some call of the tool. */
export function isAbout(rule: string, tool: string): boolean {
  const parsed = parsePermissionRule(rule);
  return !('fault' in parsed) && matchText(parsed.rule.tool, tool);
}

function flatten(lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  return known.length === lists.length ? known.flat() : undefined;
}
