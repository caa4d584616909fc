import { describe, expect, it } from '@jest/globals';
import type { ClientTool } from '../../storage/shapes/stored-options.js';
import { checkClientTools } from './turn-preparer.js';

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
});
