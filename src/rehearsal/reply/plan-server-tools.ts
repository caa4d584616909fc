import type { Directive } from '../directives/parse-directives.js';
import { splitInput } from './plan-calls.js';
import type { ReplyBlock } from './reply-plan.js';
import type { WireServerResult, WireCitation } from './stream-types.js';

const page = {
  url: 'https://example.com/rehearsal',
  title: 'Rehearsal notes',
  text: 'Nothing in this reply comes from a model.',
};
const direct = { type: 'direct' } as const;

interface ServerTools {
  directives: readonly Directive[];
  newId: (prefix: string) => string;
  /** Whether the reply pauses inside the last call. */
  pauses: boolean;
  /** The open call of an earlier, paused reply. */
  open: { id: string; name: string } | undefined;
}

/** Calls of server tools with their results; a paused reply ends in an open call. */
export function planServerTools(tools: ServerTools): ReplyBlock[] {
  if (tools.open) return [resultOf(tools.open), citedText()];
  const calls = tools.directives.filter((directive) => directive.name === 'server');
  const wanted = calls.length === 0 && tools.pauses ? [pausedSearch] : calls;
  return wanted.flatMap(({ tool, input }, index): ReplyBlock[] => {
    const id = tools.newId('srvtoolu');
    const call: ReplyBlock = {
      type: 'server_tool_use',
      id,
      name: tool,
      input,
      deltas: splitInput(input),
    };
    const isOpen = tools.pauses && index === wanted.length - 1;
    if (isOpen) return [call];
    const cited = tool === 'web_search' ? [citedText()] : [];
    return [call, resultOf({ id, name: tool }), ...cited];
  });
}

const pausedSearch = { tool: 'web_search', input: { query: 'rehearsal' } };

function resultOf({ id, name }: { id: string; name: string }): ReplyBlock {
  return {
    type: 'server_result',
    deltas: [],
    result: { ...resultContent(name), tool_use_id: id, caller: direct },
  };
}

function resultContent(name: string): Pick<WireServerResult, 'type' | 'content'> {
  switch (name) {
    case 'web_search':
      return {
        type: 'web_search_tool_result',
        content: [
          {
            type: 'web_search_result',
            url: page.url,
            title: page.title,
            encrypted_content: 'rehearsal',
            page_age: null,
          },
        ],
      };
    case 'web_fetch':
      return {
        type: 'web_fetch_tool_result',
        content: {
          type: 'web_fetch_result',
          url: page.url,
          retrieved_at: '2026-11-22T00:00:00Z',
          content: {
            type: 'document',
            title: page.title,
            citations: null,
            source: { type: 'text', media_type: 'text/plain', data: page.text },
          },
        },
      };
    case 'bash_code_execution':
      return {
        type: 'bash_code_execution_tool_result',
        content: {
          type: 'bash_code_execution_result',
          stdout: 'rehearsed\n',
          stderr: '',
          return_code: 0,
          content: [],
        },
      };
    default:
      return {
        type: 'code_execution_tool_result',
        content: {
          type: 'code_execution_result',
          stdout: 'rehearsed\n',
          stderr: '',
          return_code: 0,
          content: [],
        },
      };
  }
}

function citedText(): ReplyBlock {
  const citation: WireCitation = {
    type: 'web_search_result_location',
    cited_text: page.text,
    encrypted_index: 'rehearsal',
    title: page.title,
    url: page.url,
  };
  return { type: 'text', deltas: [`As "${page.title}" says, this was found.`], citation };
}
