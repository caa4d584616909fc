import { describe, expect, it } from '@jest/globals';
import { runExample, words } from '../../support/clients/run-example.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the examples of AG-UI', () => {
  const server = useServer();

  it('go through a thread with the protocol’s client', async () => {
    const output = await runExample('node', 'ag-ui/tour.mjs', server.url);
    expect(output).toContain(`${words(5)}\ncompleted, `);
    expect(output).toContain(`pick_colour {"of":"car"}\n${words(2)}\n`);
    expect(output).toMatch(/needs an approval[^]*notes\.txt/);
    expect(output).toMatch(/\n(\d+) of \1 messages\ncompleted\n$/);
  });

  it('have CopilotKit run a tool of its page', async () => {
    const output = await runExample('node', 'ag-ui/copilotkit.mjs', server.url);
    expect(output).toBe(`picks a colour of the car\n${words(3)}\n`);
  });
});
