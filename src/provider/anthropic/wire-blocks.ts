import { isPlainObject, type JsonObject } from '../../platform/json.js';
import type { ServerToolCall, ServerToolResult } from '../model-types.js';
import type { Source } from '../../events/turn-event.js';
import { compact } from '../../platform/compact.js';

/** The call in a block of a server tool; undefined for any other block. */
export function serverCallOf(block: JsonObject): ServerToolCall | undefined {
  const { type, id, name, input } = block;
  if (type !== 'server_tool_use' || typeof id !== 'string' || typeof name !== 'string') {
    return undefined;
  }
  // A result says of its search that it is one, and not of which kind.
  const shown = name.startsWith('tool_search_tool_') ? 'tool_search' : name;
  return { callId: id, name: shown, input: isPlainObject(input) ? input : {} };
}

/** The result in a block of a server tool; undefined for any other block. */
export function serverResultOf(block: JsonObject): ServerToolResult | undefined {
  const { type, tool_use_id: callId, content } = block;
  const [, name] = typeof type === 'string' ? (/^(\w+)_tool_result$/.exec(type) ?? []) : [];
  if (name === undefined || typeof callId !== 'string') return undefined;
  const kind = isPlainObject(content) ? content['type'] : undefined;
  const isError = typeof kind === 'string' && kind.endsWith('_error');
  return { callId, name, status: isError ? 'error' : 'success', output: describe(content) };
}

/** The content of a result as text for people; an unknown type as JSON. */
function describe(content: unknown): string {
  if (Array.isArray(content)) {
    return content.length === 0 ? 'no results' : content.map(describe).join('\n');
  }
  if (!isPlainObject(content)) return typeof content === 'string' ? content : '';
  const { type } = content;
  if (typeof type === 'string' && type.endsWith('_error')) return texts(content, ['error_code']);
  switch (type) {
    case 'web_search_result':
      return texts(content, ['title', 'url'], ' – ');
    case 'web_fetch_result':
      return [texts(content, ['url']), documentText(content['content'])].filter(Boolean).join('\n');
    case 'tool_search_tool_search_result':
      return describe(content['tool_references']) || 'no results';
    case 'tool_reference':
      return texts(content, ['tool_name']);
    case 'code_execution_result':
    case 'bash_code_execution_result':
      return texts(content, ['stdout', 'stderr']) || `exit code ${String(content['return_code'])}`;
    default:
      return JSON.stringify(content);
  }
}

/** A document's title and text; a file that is not text has its title alone. */
function documentText(document: unknown): string {
  if (!isPlainObject(document)) return '';
  const { source } = document;
  const isText = isPlainObject(source) && source['type'] === 'text';
  return [texts(document, ['title']), isText ? texts(source, ['data']) : '']
    .filter(Boolean)
    .join('\n');
}

function texts(from: Record<string, unknown>, names: readonly string[], between = '\n'): string {
  return names
    .map((name) => from[name])
    .filter((value): value is string => typeof value === 'string' && value !== '')
    .join(between);
}

type Location = NonNullable<Source['location']>;

interface LocationRule {
  /** `Source.type`. */
  kind: 'document' | 'search' | 'web';
  unit?: Location['unit'];
  start?: string;
  end?: string;
  title: string;
  url?: string;
}

const range = (unit: Location['unit'], place: string) => ({
  unit,
  start: `start_${place}`,
  end: `end_${place}`,
});

/** The citations of the API by their `type`. Ranges are half-open, as in the API. */
const RULES: Readonly<Record<string, LocationRule>> = {
  char_location: { kind: 'document', ...range('char', 'char_index'), title: 'document_title' },
  page_location: { kind: 'document', ...range('page', 'page_number'), title: 'document_title' },
  content_block_location: {
    kind: 'document',
    ...range('block', 'block_index'),
    title: 'document_title',
  },
  search_result_location: {
    kind: 'search',
    ...range('block', 'block_index'),
    title: 'title',
    url: 'source',
  },
  web_search_result_location: { kind: 'web', title: 'title', url: 'url' },
};

/**
 * Maps a citation of the wire to a `Source`: characters and blocks count from 0, pages from 1, and
 * `end` is the first that is not cited. An unknown type of location keeps its type, title and text.
 * The title falls back to the URL, then to `Untitled`.
 */
export function toSource(citation: unknown): Source {
  const fields = isPlainObject(citation) ? citation : {};
  const wireType = text(fields['type']) ?? 'unknown';
  const rule = Object.hasOwn(RULES, wireType) ? RULES[wireType] : undefined;
  const url = text(rule?.url === undefined ? fields['url'] : fields[rule.url]);
  const title = text(fields[rule?.title ?? 'title']) ?? text(fields['document_title']) ?? url;
  const citedText = text(fields['cited_text']);
  const location = rule && toLocation(rule, fields);
  return compact({
    type: rule?.kind ?? wireType,
    title: title ?? 'Untitled',
    url,
    citedText,
    location,
  });
}

function toLocation(rule: LocationRule, fields: Record<string, unknown>): Location | undefined {
  if (rule.unit === undefined || rule.start === undefined || rule.end === undefined)
    return undefined;
  const start = fields[rule.start];
  const end = fields[rule.end];
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  return { unit: rule.unit, start, end };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
