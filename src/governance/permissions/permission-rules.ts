/** A parsed rule. */
export interface PermissionRule {
  /** The tool's name; `*` stands for any characters. */
  tool: string;
  /** Pattern for the tool's argument; absent: every call of the tool. */
  pattern?: string;
}

export type ParsedRule = { rule: PermissionRule } | { fault: string };

/** The end of a fault's message. */
const examples = 'for example read, write(docs/**) or bash(git status*)';

/** @returns the rule, or the fault in its text with the allowed forms. */
export function parsePermissionRule(text: string): ParsedRule {
  const [, tool, pattern] = /^([\w*-]*)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
  if (tool === undefined) {
    return { fault: `must be a tool, or a tool and a pattern in parentheses, ${examples}` };
  }
  if (tool === '') return { fault: `must begin with the name of a tool, ${examples}` };
  if (pattern === undefined) return { rule: { tool } };
  if (pattern.trim() === '') return { fault: `has an empty pattern: write ${tool} for every call` };
  if (tool.includes('*')) {
    return { fault: `names tools with *, which takes no pattern: write ${tool} for every call` };
  }
  return { rule: { tool, pattern } };
}

/** Injects the server's own rules for tools. */
export const SERVER_PERMISSIONS = Symbol('ServerPermissions');
