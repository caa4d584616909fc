import { isPlainObject, type JsonObject } from '../../platform/json.js';
import type { ServerToolCall, ServerToolResult } from '../server-tools.js';

/** The call in a block of a server tool; undefined for any other block. */
export function serverCallOf(block: JsonObject): ServerToolCall | undefined {
  const { type, id, name, input } = block;
  if (type !== 'server_tool_use' || typeof id !== 'string' || typeof name !== 'string') {
    return undefined;
  }
  return { callId: id, name, input: isPlainObject(input) ? input : {} };
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
