import { describe, expect, it } from '@jest/globals';
import type { ClientTool } from '../../storage/shapes/stored-options.js';
import { checkClientTools, clientToolHidden, openClientTools } from './client-tools.js';

const tool = (name: string): ClientTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
});
const tools = [tool('pick'), tool('mcp__box__echo')];

describe('tools of the client', () => {
  it('have no name of the server’s', () => {
    expect(() => checkClientTools(tools, [{ name: 'bash' }])).not.toThrow();
    expect(() => checkClientTools([...tools, tool('bash')], [{ name: 'bash' }])).toThrow(
      'opts.clientTools: this server has tools called bash. Give yours other names.',
    );
  });

  it('are offered where an MCP server has no tool of their name', () => {
    const opened = openClientTools(tools, new Set(['mcp__box__echo']));
    expect(opened.tools.map(({ name }) => name)).toEqual(['pick']);
    expect(opened.hidden).toEqual(['mcp__box__echo']);
    expect(clientToolHidden('mcp__box__echo')).toMatchObject({
      kind: 'client-tool-hidden',
      text: expect.stringContaining('mcp__box__echo is not offered'),
      seenByModel: false,
    });
  });

  it('are described as they came, checked, and never run here', () => {
    const [pick] = openClientTools(tools, new Set()).tools;
    expect(pick).toMatchObject({ ...tool('pick'), effect: 'read', retry: 'safe' });
    expect(pick?.checkInput({ n: 1 })).toEqual({ ok: true, input: { n: 1 } });
    expect(pick?.checkInput({ n: 'x' })).toMatchObject({ ok: false });
    expect(() => pick?.open({ workdir: '/' })).toThrow('does not run here');
  });
});
