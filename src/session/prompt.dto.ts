import type { ListedPrompt } from '../tools/mcp/prompts.js';
import type { McpProblem } from '../tools/mcp/definitions.js';

export class PromptArgumentDto {
  name!: string;
  description!: string | null;
  required!: boolean;
}

/** A prompt of an MCP server. */
export class PromptDto implements ListedPrompt {
  /** @example github */
  server!: string;
  /** @example review */
  name!: string;
  title!: string | null;
  description!: string | null;
  arguments!: PromptArgumentDto[];
}

export class PromptProblemDto implements McpProblem {
  server!: string;
  reason!: string;
}

export class PromptListDto {
  prompts!: PromptDto[];
  /** Servers that are not there, and what they left out. */
  problems!: PromptProblemDto[];
}
