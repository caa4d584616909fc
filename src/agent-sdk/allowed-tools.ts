import { UnsupportedError } from './sdk-errors.js';
import { argumentOf, effectOf, isMissing, toOurName } from './tool-names.js';

/** A rule of a program, taken apart. */
interface SdkRule {
  tool: string;
  /** What is in parentheses. Absent: every call. */
  content?: string;
}

/** Tools whose patterns are paths, which mean another place there than here. */
const pathTools = ['read', 'write', 'edit', 'glob', 'grep'];

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

/**
 * The server's rules for a rule of a program. A tool that no server has has none. Pure.
 *
 * A pattern of paths is refused: `/src/**` is below the settings' folder there and at the root here, so that a rule that was
 * copied would match nothing, and a denial of it deny nothing.
 *
 * @param option the name of the list, for the error.
 * @throws UnsupportedError.
 */
export function toOurRules(text: string, option: string): string[] {
  const { tool, content } = parseSdkRule(text, option);
  if (tool.startsWith('mcp__')) return [mcpRule(tool, content, { text, option })];
  if (isMissing(tool)) return [];
  const ours = toOurName(tool);
  if (content === undefined) return [ours];
  const refuse = (advice: string): UnsupportedError =>
    new UnsupportedError(`${option} ${JSON.stringify(text)}`, advice);
  if (pathTools.includes(ours)) {
    throw refuse(
      `write ${tool} without a pattern, or a rule in permissions of an agent or of the server`,
    );
  }
  if (ours === 'bash') return [`bash(${commandPattern(content)})`];
  if (ours === 'task' || ours === 'load_skill') return [`${ours}(${content.trim()})`];
  throw refuse(`write ${tool} without a pattern`);
}

function mcpRule(
  tool: string,
  content: string | undefined,
  { text, option }: { text: string; option: string },
): string {
  if (content !== undefined) {
    throw new UnsupportedError(
      `${option} ${JSON.stringify(text)}`,
      'tools of MCP servers take no pattern',
    );
  }
  // `mcp__server` is all tools of the server.
  return /^mcp__(?:(?!__)[^*])+$/.test(tool) ? `${tool}__*` : tool;
}

/** `ls:*` is `ls *`: the program alone, and with any arguments. */
function commandPattern(content: string): string {
  return content.trim().replace(/:\*$/, ' *');
}

/** The tools that a denial takes away as a whole: they need not be offered. Pure. */
export function deniedTools(rules: readonly string[], option: string): string[] {
  return rules.flatMap((rule) => {
    const { tool, content } = parseSdkRule(rule, option);
    return content === undefined && !tool.includes('*') ? [toOurName(tool)] : [];
  });
}

/** The call of a tool as rules see it. Pure. */
export function ruledBy(name: string, input: unknown) {
  return { tool: { name, effect: effectOf(name) }, argument: argumentOf(name, input) };
}
