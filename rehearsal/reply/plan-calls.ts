import { isPlainObject, type JsonObject, type JsonValue } from '../json.js';
import type { Directive } from '../directives/parse-directives.js';
import type { OfferedTool } from '../request-types.js';
import type { ReplyBlock, ServerToolResult } from './reply-plan.js';
import type { RequestedTurn } from './extract-turn.js';

const fragmentLength = 20;

/** The tool calls of a step: of `tool` in its own or the first, of `loop` in the first `steps`. */
export function planCalls(
  directives: readonly Directive[],
  step: number,
  newId: (prefix: string) => string,
): ReplyBlock[] {
  const fragments = directives.find((directive) => directive.name === 'args')?.count;
  return directives.flatMap((directive): ReplyBlock[] => {
    const due =
      (directive.name === 'tool' && step === (directive.step ?? 1)) ||
      (directive.name === 'loop' && step <= directive.steps);
    if (!due) return [];
    const input = directive.name === 'loop' ? fillStep(directive.input, step) : directive.input;
    return [
      {
        type: 'tool_use',
        id: newId('toolu'),
        name: directive.tool,
        input,
        deltas: splitInput(input, fragments),
      },
    ];
  });
}

/**
 * Splits the input's JSON into `count` fragments of nearly equal length, by default of about 20
 * characters. An empty input is one empty fragment, as in the API.
 */
export function splitInput(input: JsonObject, count?: number): string[] {
  if (Object.keys(input).length === 0) return [''];
  const characters = Array.from(JSON.stringify(input));
  const pieces = Math.min(
    count ?? Math.ceil(characters.length / fragmentLength),
    characters.length,
  );
  return Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor((index * characters.length) / pieces);
    const end = Math.floor(((index + 1) * characters.length) / pieces);
    return characters.slice(start, end).join('');
  });
}

function fillStep(input: JsonObject, step: number): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, fillValue(value, step)]),
  );
}

function fillValue(value: JsonValue, step: number): JsonValue {
  if (typeof value === 'string') return value.replaceAll('$i', String(step));
  if (Array.isArray(value)) return value.map((item) => fillValue(item, step));
  return isPlainObject(value) && !JSON.isRawJSON(value) ? fillStep(value, step) : value;
}

/** The source of what a reply cites, where the request has none. */
const notes = {
  url: 'https://example.com/rehearsal',
  title: 'Rehearsal notes',
  text: 'Nothing in this reply comes from a model.',
};

interface ServerTools {
  directives: readonly Directive[];
  /** The tools of the request, of which a search finds the deferred ones. */
  offered: readonly OfferedTool[];
  newId: (prefix: string) => string;
  /** Whether the reply pauses inside the last call. */
  pauses: boolean;
  /** The open call of an earlier, paused reply. */
  open: { id: string; name: string } | undefined;
}

/** Calls of server tools with their results; a paused reply ends in an open call. */
export function planServerTools(tools: ServerTools): ReplyBlock[] {
  if (tools.open) {
    const open = { ...tools.open, input: {} };
    const cited = tools.open.name.startsWith('tool_search') ? [] : [citedPage()];
    return [resultOf(open, tools.offered), ...cited];
  }
  const directives = tools.directives.filter((directive) => directive.name === 'server');
  const calls = directives.length === 0 && tools.pauses ? [pausedSearch] : directives;
  return calls.flatMap(({ tool, input }, index): ReplyBlock[] => {
    const id = tools.newId('srvtoolu');
    const deltas = splitInput(input);
    const call: ReplyBlock = { type: 'server_tool_use', id, name: tool, input, deltas };
    if (tools.pauses && index === calls.length - 1) return [call];
    const cited = tool === 'web_search' ? [citedPage()] : [];
    return [call, resultOf({ id, name: tool, input }, tools.offered), ...cited];
  });
}

const pausedSearch = { tool: 'web_search', input: { query: 'rehearsal' } } as const;

/** Tools that a search finds at most. */
const maxHits = 5;

interface ServerCall {
  id: string;
  name: string;
  input: JsonObject;
}

function resultOf(call: ServerCall, offered: readonly OfferedTool[]): ReplyBlock {
  return { type: 'server_result', deltas: [], result: serverResult(call, offered) };
}

/** The deferred tools with a word of the query, those with most of its words first; without a query, all. */
function search(query: unknown, offered: readonly OfferedTool[]): OfferedTool[] {
  const deferred = offered.filter((tool) => tool.defer_loading === true);
  if (typeof query !== 'string') return deferred;
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const hits = deferred.map((tool) => {
    const { name, description = '', input_schema: schema = {} } = tool;
    const text =
      `${name} ${description} ${JSON.stringify(schema['properties'] ?? {})}`.toLowerCase();
    return { tool, score: words.filter((word) => text.includes(word)).length };
  });
  const found = hits.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return found.map(({ tool }) => tool);
}

function serverResult(
  { id, name, input }: ServerCall,
  offered: readonly OfferedTool[],
): ServerToolResult {
  const caller = { type: 'direct' } as const;
  const { url, title } = notes;
  const ran = { stdout: 'rehearsed\n', stderr: '', return_code: 0, content: [] };
  switch (name) {
    case 'web_search': {
      const page = { url, title, encrypted_content: 'rehearsal', page_age: null };
      return {
        type: 'web_search_tool_result',
        content: [{ type: 'web_search_result', ...page }],
        tool_use_id: id,
        caller,
      };
    }
    case 'web_fetch':
      return {
        type: 'web_fetch_tool_result',
        content: {
          type: 'web_fetch_result',
          url,
          retrieved_at: '2026-11-22T00:00:00Z',
          content: {
            type: 'document',
            title,
            citations: null,
            source: { type: 'text', media_type: 'text/plain', data: notes.text },
          },
        },
        tool_use_id: id,
        caller,
      };
    case 'bash_code_execution':
      return {
        type: 'bash_code_execution_tool_result',
        content: { type: 'bash_code_execution_result', ...ran },
        tool_use_id: id,
      };
    case 'tool_search_tool_bm25':
    case 'tool_search_tool_regex':
      return {
        type: 'tool_search_tool_result',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: search(input['query'] ?? input['pattern'], offered)
            .slice(0, maxHits)
            .map((tool) => ({ type: 'tool_reference', tool_name: tool.name })),
        },
        tool_use_id: id,
      };
    default:
      return {
        type: 'code_execution_tool_result',
        content: { type: 'code_execution_result', ...ran },
        tool_use_id: id,
      };
  }
}

function citedPage(): ReplyBlock {
  return {
    type: 'text',
    deltas: [`As "${notes.title}" says, this was found.`],
    citation: {
      type: 'web_search_result_location',
      cited_text: notes.text,
      encrypted_index: 'rehearsal',
      title: notes.title,
      url: notes.url,
    },
  };
}

const citedCharacters = 40;

/**
 * A text block with a citation of the request's last document, or of a made-up one. As in the API, a
 * text is cited by characters and any other document, such as a PDF, by page.
 */
export function citeDocument(document: RequestedTurn['document']): ReplyBlock {
  const { title = null, source } = document?.block ?? {
    title: notes.title,
    source: { type: 'text', data: notes.text },
  };
  const text = (source.data ?? '').slice(0, citedCharacters);
  const cited = { document_index: document?.index ?? 0, document_title: title, file_id: null };
  return {
    type: 'text',
    deltas: [`As "${title ?? 'the document'}" says,`, ' this is a cited answer.'],
    citation:
      source.type === 'text'
        ? {
            type: 'char_location',
            cited_text: text,
            ...cited,
            start_char_index: 0,
            end_char_index: text.length,
          }
        : {
            type: 'page_location',
            cited_text: 'page 1',
            ...cited,
            start_page_number: 1,
            end_page_number: 2,
          },
  };
}
