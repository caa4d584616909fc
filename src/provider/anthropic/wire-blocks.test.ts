import { describe, expect, it } from '@jest/globals';
import type Anthropic from '@anthropic-ai/sdk';
import { serverCallOf, serverResultOf, toSource } from './wire-blocks.js';

const result = (type: string, content: object): ReturnType<typeof serverResultOf> =>
  serverResultOf({ type, tool_use_id: 'srvtoolu_1', content: content as never });

describe('serverCallOf', () => {
  it('is the call of a block, and of no other', () => {
    const call = {
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_fetch',
      input: { url: 'u' },
    };
    expect(serverCallOf(call)).toEqual({
      callId: 'srvtoolu_1',
      name: 'web_fetch',
      input: { url: 'u' },
    });
    expect(serverCallOf({ type: 'container_upload', file_id: 'file_1' })).toBeUndefined();
    expect(serverResultOf(call)).toBeUndefined();
  });
});

describe('serverResultOf', () => {
  it.each<[string, object, string, string]>([
    [
      'web_search_tool_result',
      [
        { type: 'web_search_result', title: 'A', url: 'https://a.example', encrypted_content: 'x' },
        { type: 'web_search_result', title: 'B', url: 'https://b.example', encrypted_content: 'x' },
      ],
      'success',
      'A – https://a.example\nB – https://b.example',
    ],
    ['web_search_tool_result', [], 'success', 'no results'],
    [
      'tool_search_tool_result',
      {
        type: 'tool_search_tool_search_result',
        tool_references: [
          { type: 'tool_reference', tool_name: 'a' },
          { type: 'tool_reference', tool_name: 'b' },
        ],
      },
      'success',
      'a\nb',
    ],
    [
      'tool_search_tool_result',
      { type: 'tool_search_tool_search_result', tool_references: [] },
      'success',
      'no results',
    ],
    [
      'tool_search_tool_result',
      { type: 'tool_search_tool_result_error', error_code: 'unavailable' },
      'error',
      'unavailable',
    ],
    [
      'web_search_tool_result',
      { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
      'error',
      'max_uses_exceeded',
    ],
    [
      'web_fetch_tool_result',
      {
        type: 'web_fetch_result',
        url: 'https://a.example',
        content: { type: 'document', title: 'A', source: { type: 'text', data: 'Said.' } },
      },
      'success',
      'https://a.example\nA\nSaid.',
    ],
    [
      'web_fetch_tool_result',
      {
        type: 'web_fetch_result',
        url: 'https://a.example/x.pdf',
        content: { type: 'document', title: null, source: { type: 'base64', data: 'JVBERi0=' } },
      },
      'success',
      'https://a.example/x.pdf',
    ],
    [
      'bash_code_execution_tool_result',
      { type: 'bash_code_execution_result', stdout: '42\n', stderr: 'late', return_code: 0 },
      'success',
      '42\n\nlate',
    ],
    [
      'code_execution_tool_result',
      { type: 'code_execution_result', stdout: '', stderr: '', return_code: 3 },
      'success',
      'exit code 3',
    ],
    [
      'text_editor_code_execution_tool_result',
      { type: 'text_editor_code_execution_create_result', is_file_update: false },
      'success',
      '{"type":"text_editor_code_execution_create_result","is_file_update":false}',
    ],
  ])('of %s reads %j as %s', (type, content, status, output) => {
    const name = type.replace('_tool_result', '');
    expect(result(type, content)).toEqual({ callId: 'srvtoolu_1', name, status, output });
  });
});

/** A citation of each type of the SDK: a new type breaks the build here. */
const CITATIONS: {
  [Type in Anthropic.TextCitation['type']]: Extract<Anthropic.TextCitation, { type: Type }>;
} = {
  char_location: {
    type: 'char_location',
    cited_text: 'c',
    document_index: 0,
    document_title: 'a.txt',
    file_id: null,
    start_char_index: 3,
    end_char_index: 4,
  },
  page_location: {
    type: 'page_location',
    cited_text: 'c',
    document_index: 0,
    document_title: null,
    file_id: null,
    start_page_number: 1,
    end_page_number: 2,
  },
  content_block_location: {
    type: 'content_block_location',
    cited_text: 'c',
    document_index: 0,
    document_title: 'a',
    file_id: null,
    start_block_index: 0,
    end_block_index: 2,
  },
  web_search_result_location: {
    type: 'web_search_result_location',
    cited_text: 'c',
    encrypted_index: 'e',
    title: null,
    url: 'https://a.example/',
  },
  search_result_location: {
    type: 'search_result_location',
    cited_text: 'c',
    search_result_index: 0,
    source: 'kb/1',
    title: 'One',
    start_block_index: 0,
    end_block_index: 1,
  },
};

const at = (unit: string, start: number, end: number) => ({
  citedText: 'c',
  location: { unit, start, end },
});
const url = 'https://a.example/';

describe('toSource', () => {
  it.each([
    [CITATIONS.char_location, { type: 'document', title: 'a.txt', ...at('char', 3, 4) }],
    [CITATIONS.page_location, { type: 'document', title: 'Untitled', ...at('page', 1, 2) }],
    [CITATIONS.content_block_location, { type: 'document', title: 'a', ...at('block', 0, 2) }],
    [CITATIONS.web_search_result_location, { type: 'web', title: url, url, citedText: 'c' }],
    [
      CITATIONS.search_result_location,
      { type: 'search', title: 'One', url: 'kb/1', ...at('block', 0, 1) },
    ],
    [
      { type: 'new_location', title: 'N', url: 'u', cited_text: 'c' },
      { type: 'new_location', title: 'N', url: 'u', citedText: 'c' },
    ],
    [{ type: 'constructor' }, { type: 'constructor', title: 'Untitled' }],
    ['no object', { type: 'unknown', title: 'Untitled' }],
  ])('%j', (citation, source) => {
    expect(toSource(citation)).toEqual(source);
  });
});
