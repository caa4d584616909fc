import type { Json } from './agent-sdk.js';
import { isJson, listOf, type Call, type Rename } from './scripted-messages.js';

/** Between the names of tools that scripts have and those of the side that is run. */
export interface ToolNames {
  /** A call of a script, as the models of that side make it. */
  call: Rename;
  /** Its requests with the names of scripts, so that both sides can be compared. */
  requests(requests: readonly Json[]): Json[];
}

interface Names {
  ours: string;
  /** Fields of the input that have another name here. */
  fields?: Readonly<Record<string, string>>;
  /** Fields that ours do not have. */
  without?: readonly string[];
}

/** Our tools by the names of Claude Code's. */
const tools: Readonly<Record<string, Names>> = {
  Read: { ours: 'read' },
  Write: { ours: 'write' },
  Edit: { ours: 'edit' },
  Glob: { ours: 'glob' },
  Grep: { ours: 'grep' },
  Bash: { ours: 'bash', fields: { timeout: 'timeout_ms' }, without: ['description'] },
  Agent: {
    ours: 'task',
    fields: { subagent_type: 'agent' },
    without: ['description', 'run_in_background'],
  },
  Skill: { ours: 'load_skill', fields: { skill: 'name' }, without: ['args'] },
};

export const ourNames: ToolNames = { call: toOurCall, requests: withTheirNames };

function toOurCall({ name, input }: Call): ReturnType<Rename> {
  // An object that a turn is to end with is a text of the model here.
  if (name === 'StructuredOutput') return { text: JSON.stringify(input) };
  const known = tools[name];
  if (known === undefined) return { name, input };
  const { ours, fields = {}, without = [] } = known;
  const kept = Object.entries(input).filter(([field]) => !without.includes(field));
  const renamed = kept.map(([field, value]) => [fields[field] ?? field, value]);
  return { name: ours, input: Object.fromEntries(renamed) };
}

function withTheirNames(requests: readonly Json[]): Json[] {
  const names = new Map(Object.entries(tools).map(([name, { ours }]) => [ours, name]));
  const theirs = (name: unknown): unknown => names.get(String(name)) ?? name;
  return requests.map((request) => ({
    ...request,
    tools: listOf(request['tools']).map((tool) => ({ ...tool, name: theirs(tool['name']) })),
    messages: listOf(request['messages']).map((message) => ({
      ...message,
      content: Array.isArray(message['content'])
        ? message['content'].map((block: unknown) =>
            isJson(block) && block['type'] === 'tool_use'
              ? { ...block, name: theirs(block['name']) }
              : block,
          )
        : message['content'],
    })),
  }));
}
