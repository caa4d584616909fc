import { describe, expect, it } from '@jest/globals';
import type { ExtensionTool } from '../extend/extend.js';
import { ToolFailure } from '../tools/tool-failure.js';
import { guardTool } from './guard-tool.js';

const call = {
  callId: 'c',
  idempotencyKey: 't:c',
  signal: new AbortController().signal,
  progress: () => undefined,
};

describe('guardTool', () => {
  const bytes = Buffer.from('bytes');
  const run = (output: unknown) => {
    const given = { name: 'shot', description: 'Takes one.', inputSchema: {}, run: () => output };
    // An extension is JavaScript: what it gives is not what its types say.
    const tool = guardTool(given as unknown as ExtensionTool, () => undefined);
    return tool.open({ workdir: '/' }).run({}, call);
  };

  it.each<[string, unknown, unknown]>([
    ['text', 'here', 'here'],
    [
      'texts and files of bytes',
      [
        { type: 'text', text: 'here' },
        { type: 'file', data: new Uint8Array(bytes), name: 'a.png' },
      ],
      [
        { type: 'text', text: 'here' },
        { type: 'file', bytes, name: 'a.png' },
      ],
    ],
    [
      'files in base64',
      [{ type: 'file', data: bytes.toString('base64') }],
      [{ type: 'file', bytes }],
    ],
  ])('takes %s', async (_what, output, taken) => {
    expect(await run(output)).toEqual(taken);
  });

  it.each([[3], [undefined], [{}], [[{ type: 'file' }]]])('fails for %j', async (output) => {
    await expect(run(output)).rejects.toThrow(ToolFailure);
  });
});
