/** CopilotKit's core against an agent, without its runtime between: see README.md beside this file. */
import { randomUUID } from 'node:crypto';
import { CopilotKitCore } from '@copilotkit/core';
import { HttpAgent } from '@ag-ui/client';
import { z } from 'zod';

const url = process.env.TURNPIKE_URL ?? 'http://127.0.0.1:4400';
const agent = new HttpAgent({ url: `${url}/agent/WORKING_ITEMS/ag-ui`, threadId: randomUUID() });
const core = new CopilotKitCore({ agents__unsafe_dev_only: { working: agent } });
core.subscribe({
  onError: ({ error }) => {
    throw error;
  },
});
core.addTool({
  name: 'pick_colour',
  description: 'Lets the user pick a colour',
  parameters: z.object({ of: z.string() }),
  handler: async ({ of }) => {
    console.log(`picks a colour of the ${of}`);
    return 'red';
  },
});
agent.addMessage({
  id: randomUUID(),
  role: 'user',
  content: 'Which colour? [[tool=pick_colour {"of":"car"}]] [[tokens=3]]',
});
await core.runAgent({ agent });
console.log(agent.messages.at(-1).content);
