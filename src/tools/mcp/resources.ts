import type { Client } from '@modelcontextprotocol/client';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import type { OutputBlock } from '../../platform/parsing/tool-output.js';
import { cutText } from '../../platform/text/cut-text.js';
import { ToolFailure, type ResourceAccess } from '../tool.js';
import { askServer, redactBlocks, toBlock, type ServerAccess } from './call-tool.js';
import { sendRequest } from './messages.js';

/** Entries of a page that are listed. */
const MAX_ENTRIES = 200;
const MAX_LINE_CHARS = 500;

/** The resources of a turn's servers, for its model; undefined: no server has any. */
export function openResources(servers: readonly ServerAccess[]): ResourceAccess | undefined {
  if (servers.length === 0) return undefined;
  const find = (name: string): ServerAccess => {
    const found = servers.find(({ server }) => server === name);
    if (found !== undefined) return found;
    const names = servers.map(({ server }) => server).join(', ');
    throw new ToolFailure(`${name} is no server with resources. Servers with resources: ${names}.`);
  };
  return {
    list: async ({ server, cursor }, call) =>
      askServer(find(server).connection, { ...call, retry: 'safe' }, (client) =>
        listResources(client, { server, cursor, signal: call.signal }),
      ),
    read: async ({ server, uri }, call) => {
      const { connection } = find(server);
      const blocks = await askServer(connection, { ...call, retry: 'safe' }, (client) =>
        readResource(client, uri, call.signal),
      );
      return redactBlocks(connection, blocks);
    },
  };
}

/** One page: of resources, then of their templates. The cursor that the model gets says of which. */
async function listResources(
  client: Client,
  { server, cursor, signal }: { server: string; cursor: string | undefined; signal: AbortSignal },
): Promise<string> {
  const [, kind = 'r', given] = /^([rt]):(.*)$/s.exec(cursor ?? '') ?? [];
  if (cursor !== undefined && given === undefined) {
    throw new ToolFailure(`${cutText(cursor, 100)} is no cursor: use one that a list ended with`);
  }
  const lines: string[] = [];
  if (kind === 'r') {
    const page = await listPage(client, { of: 'resources', cursor: given, signal });
    lines.push(`Resources of ${server}:`, ...describe(page.entries, 'uri'));
    if (page.next !== undefined) return [...lines, more('r', page.next)].join('\n');
  }
  const at = kind === 't' ? given : undefined;
  const page = await listPage(client, { of: 'templates', cursor: at, signal });
  if (page.entries.length > 0) {
    const title = 'Templates, whose {variables} you fill in to read one:';
    lines.push(title, ...describe(page.entries, 'uriTemplate'));
  }
  if (page.next !== undefined) lines.push(more('t', page.next));
  return lines.join('\n');
}

const more = (kind: 'r' | 't', next: string): string =>
  `There are more: call again with the cursor ${JSON.stringify(`${kind}:${next}`)}.`;

const lists = {
  resources: { method: 'resources/list', field: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates' },
};

async function listPage(
  client: Client,
  {
    of,
    cursor,
    signal,
  }: { of: keyof typeof lists; cursor: string | undefined; signal: AbortSignal },
): Promise<{ entries: unknown[]; next: string | undefined }> {
  const { method, field } = lists[of];
  const request = { method, params: compact({ cursor }) };
  const result = await sendRequest(client, request, { signal });
  const entries: unknown[] = Array.isArray(result[field]) ? result[field] : [];
  const { nextCursor: next } = result;
  // An empty cursor is one. A page that is followed by itself is the last.
  return { entries, next: typeof next === 'string' && next !== cursor ? next : undefined };
}

/** A line for each entry; one without an address is left out. */
function describe(entries: readonly unknown[], address: 'uri' | 'uriTemplate'): string[] {
  const lines = entries.slice(0, MAX_ENTRIES).flatMap((entry): string[] => {
    if (!isPlainObject(entry) || typeof entry[address] !== 'string') return [];
    const { title, name, mimeType, size, description } = entry;
    const facts = [title ?? name, mimeType, typeof size === 'number' ? `${size} bytes` : undefined];
    const words = [...facts, description].filter((one) => typeof one === 'string' && one !== '');
    const line = [entry[address], words.join(', ')].filter((one) => one !== '').join(': ');
    return [`- ${cutText(line.replaceAll(/\s+/g, ' '), MAX_LINE_CHARS)}`];
  });
  const left = entries.length - MAX_ENTRIES;
  const all = left > 0 ? [...lines, `(${left} more on this page are left out)`] : lines;
  return all.length === 0 ? ['(none)'] : all;
}

async function readResource(
  client: Client,
  uri: string,
  signal: AbortSignal,
): Promise<OutputBlock[]> {
  const request = { method: 'resources/read', params: { uri } };
  const { contents } = await sendRequest(client, request, { signal });
  const parts: unknown[] = Array.isArray(contents) ? contents : [];
  if (parts.length === 0) return [{ type: 'text', text: '[the resource is empty]' }];
  return parts.map((resource) => toBlock({ type: 'resource', resource }));
}
