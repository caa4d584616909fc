import type { JsonObject } from '../../platform/json.js';

/** A tool as described to a model. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the input; its root is an object. */
  inputSchema: JsonObject;
  /** The provider's own definition, by its type: it is sent in place of description and schema. Absent: ours is. */
  definedAs?: 'memory_20250818';
}

/** The tools that the provider runs itself, as models and agents call them. */
export const serverToolNames = ['web_search', 'web_fetch', 'code_execution'] as const;

export type ServerToolName = (typeof serverToolNames)[number];

/** A tool of the provider that agents of this server may use. */
export interface ServerTool {
  name: ServerToolName;
  /** Most uses in one model call; absent: the provider's default. */
  maxUses?: number;
}
