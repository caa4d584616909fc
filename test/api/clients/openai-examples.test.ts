import { describe, expect, it } from '@jest/globals';
import { runExample, words } from '../../support/clients/run-example.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the example of the package openai', () => {
  const server = useServer();

  it('goes through a conversation, a tool, an approval and a broken connection', async () => {
    const output = await runExample('node', 'openai/tour.mjs', server.url);
    expect(output).toContain(`== A message\n${words(5)}\n`);
    expect(output).toContain(`${words(3)}\ncompleted, `);
    expect(output).toContain(`pick_colour {"of":"car"}\n${words(2)}\n`);
    expect(output).toMatch(/write needs an approval: .*notes\.txt[^]*mcp_call, message\n/);
    expect(output).toMatch(new RegExp(`== A broken connection\n${words(9)}\n$`));
  });
});
