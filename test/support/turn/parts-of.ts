import { mcpPart, type McpState } from '../../../src/features/mcp/mcp-part.js';
import { skillsPart } from '../../../src/features/skills/skills-part.js';
import type { AnnouncedSkill } from '../../../src/storage/shapes/sent-request.js';
import type { PartState } from '../../../src/turn/state/prompt-part.js';

/** What a turn has of skills and of MCP servers. */
export interface HasParts {
  skills?: readonly AnnouncedSkill[];
  mcp?: Partial<McpState>;
}

/** The parts of a prompt, as sources of tools give them. */
export function partsOf({ skills, mcp }: HasParts): PartState[] {
  const none: McpState = { tools: [], answered: [], servers: [], defer: (tools) => [...tools] };
  return [
    { part: skillsPart, state: skills },
    { part: mcpPart, state: mcp && { ...none, ...mcp } },
  ];
}

export const allParts = partsOf({}).map(({ part }) => part);
