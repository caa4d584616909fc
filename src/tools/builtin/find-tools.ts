import { USE_TOOL } from '../../provider/model-types.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { compileInputCheck } from '../../platform/json-schema/check-input.js';
import type { RegisteredTool } from '../registry.js';
import { ToolFailure, type ToolDefinition } from '../tool.js';

export const FIND_TOOLS = 'find_tools';

/** Tools that a search finds at most, as the provider's own search does. */
const MAX_HITS = 5;
const MAX_QUERY_CHARS = 500;

const traits = { effect: 'read', retry: 'safe' } as const;

/** Finds tools whose definitions are not in the prompt. */
const findToolsTool: ToolDefinition = {
  ...traits,
  name: FIND_TOOLS,
  description: `Find tools of MCP servers, which are not listed here, by words for what they do or by their names. The result has the definitions of up to ${MAX_HITS} of them. Call one with ${USE_TOOL}.`,
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', minLength: 1, maxLength: MAX_QUERY_CHARS } },
    required: ['query'],
    additionalProperties: false,
  },
  open: ({ deferred = [] }) => ({
    run: async ({ query }) => {
      if (typeof query !== 'string') throw new ToolFailure(`${FIND_TOOLS}: query must be text`);
      const found = rankTools(deferred, query).slice(0, MAX_HITS);
      if (found.length === 0)
        return `None of these words is in the name, the description or the inputs of a tool. Call ${FIND_TOOLS} again with other words for what the tool does.`;
      const definitions = found.map(({ name, description, inputSchema }) =>
        JSON.stringify({ tool: name, description, input_schema: inputSchema }),
      );
      return [...definitions, `Call one with ${USE_TOOL}.`].join('\n');
    },
  }),
};

/** A call of it that names a deferred tool is that tool's; only what is wrong comes here. */
const useToolTool: ToolDefinition = {
  ...traits,
  name: USE_TOOL,
  description: `Call a tool that ${FIND_TOOLS} found: its name, and an input that fits its input_schema.`,
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'Name of the tool.' },
      input: { type: 'object', description: 'The input of the tool.' },
    },
    required: ['tool', 'input'],
    additionalProperties: false,
  },
  open: () => ({
    run: async ({ tool }) => {
      throw new ToolFailure(
        `${JSON.stringify(tool)} is no tool that ${FIND_TOOLS} finds. Find the tool first, and use its whole name.`,
      );
    },
  }),
};

/** The tools of a search that the server runs, for models and providers without one. */
export const searchTools: readonly RegisteredTool[] = [findToolsTool, useToolTool].map((tool) => ({
  ...tool,
  checkInput: compileInputCheck(tool.inputSchema),
}));

/** Weights of BM25: how fast more of a word counts less, and how much a long text counts less. */
const SATURATION = 1.2;
const LENGTH = 0.75;
/** A word of the name counts as so many in the description. */
const NAME_WEIGHT = 3;

/** The tools with any of a query's words in their names, descriptions or fields, the best first (BM25). Pure. */
export function rankTools(tools: readonly ToolSpec[], query: string): ToolSpec[] {
  const texts = tools.map((tool) => ({ tool, counts: countWords(tool) }));
  const lengths = texts.map(({ counts }) => sum([...counts.values()]));
  const mean = sum(lengths) / Math.max(1, lengths.length);
  const words = [...new Set(wordsOf(query))];
  const weights = words.map((word) => {
    const having = texts.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (tools.length - having + 0.5) / (having + 0.5));
  });
  const scored = texts.map(({ tool, counts }, index) => {
    const shorten = SATURATION * (1 - LENGTH + (LENGTH * (lengths[index] ?? 0)) / mean);
    const scores = words.map((word, at) => {
      const count = counts.get(word) ?? 0;
      return ((weights[at] ?? 0) * count * (SATURATION + 1)) / (count + shorten);
    });
    return { tool, score: sum(scores) };
  });
  const found = scored.filter(({ score }) => score > 0);
  return found.sort((a, b) => b.score - a.score).map(({ tool }) => tool);
}

function countWords({ name, description, inputSchema }: ToolSpec): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  add(name, NAME_WEIGHT);
  add(description, 1);
  add(JSON.stringify(inputSchema['properties'] ?? {}), 1);
  return counts;
}

/** Words in lower case, those within names apart: `createIssue` and `create_issue` have two. */
function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return apart.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
