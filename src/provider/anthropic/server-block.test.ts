import { describe, expect, it } from '@jest/globals';
import { serverCallOf, serverResultOf } from './server-block.js';

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
