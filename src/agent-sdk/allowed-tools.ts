import { convertRule, type RuleList } from '../project-files/convert-rule.js';
import { UnsupportedError } from './sdk-errors.js';
import { isKnownThere } from '../agents/claude-tools.js';
import { argumentOf, effectOf, isMissing, toOurName } from './tool-names.js';

/** A rule of a program, taken apart. */
interface SdkRule {
  tool: string;
  /** The pattern in parentheses. Absent: every call. */
  content?: string;
}

/** Stands for a folder that is not known: rules are relative to it, and none depends on which it is. */
const ANY_FOLDER = '/project';

/** Tools whose calls no rule tells apart. */
const withoutPattern = /^(?:mcp__.*|WebFetch|WebSearch|TodoWrite)$/;

const syntax = /^([\w*-]+)(?:\(([\s\S]*)\))?$/;

/** The parts of a rule. Pure. @throws UnsupportedError for a text that is none. */
export function parseSdkRule(text: string, option: string): SdkRule {
  const [, tool, content] = syntax.exec(text.trim()) ?? [];
  if (tool === undefined) {
    throw new UnsupportedError(`${option} ${JSON.stringify(text)}`, 'write Tool or Tool(pattern)');
  }
  const isAll = content === undefined || content.trim() === '' || content.trim() === '*';
  return isAll ? { tool } : { tool, content };
}

/** Where a list of rules is from. */
export interface RuleSource {
  /** The name of the list, for errors: `allowedTools`, `settings.permissions.deny`. */
  option: string;
  list: RuleList;
  /** The folder of the session. Absent: it is not known. */
  cwd?: string | undefined;
}

/**
 * The server's rules for a rule of a program. A tool that no server has has none. A pattern of paths gets the anchors that
 * it has here. Pure.
 *
 * @throws UnsupportedError for a rule that allows and cannot be converted.
 */
export function toOurRules(text: string, { option, list, cwd }: RuleSource): string[] {
  const refuse = (advice: string): UnsupportedError =>
    new UnsupportedError(`${option} ${JSON.stringify(text)}`, advice);
  const { tool, content } = parseSdkRule(text, option);
  if (isMissing(tool)) return [];
  const isOfHost = !isKnownThere(tool) && !/^mcp__|\*/.test(tool);
  if (content !== undefined && (isOfHost || withoutPattern.test(tool))) {
    throw refuse(`write ${tool} without a pattern`);
  }
  if (isOfHost) return [tool];
  if (cwd === undefined && tool !== 'Bash' && /[(/]\.\.[/)]/.test(text)) {
    throw refuse('give the folder of the session as cwd');
  }
  const project = cwd ?? ANY_FOLDER;
  const { rules, verdict, how } = convertRule(text, list, { project, settings: project });
  if (verdict === 'refused') throw refuse(how);
  return [...rules];
}

/** The tools that a denial takes away as a whole: they need not be offered. Pure. */
export function deniedTools(rules: readonly string[], option: string): string[] {
  return rules.flatMap((rule) => {
    const { tool, content } = parseSdkRule(rule, option);
    return content === undefined && !tool.includes('*') ? [toOurName(tool)] : [];
  });
}

/** The call of a tool as rules see it. @param cwd the folder of the session. Pure. */
export function ruledBy(name: string, input: unknown, cwd: string) {
  const deniedWith = name === 'grep' ? ['read'] : [];
  return {
    tool: { name, effect: effectOf(name), deniedWith },
    argument: argumentOf(name, input, cwd),
  };
}
