import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import * as z from 'zod';

const stock: Record<string, number> = { tea: 3, coffee: 0 };
const looked: string[] = [];

const shop = createSdkMcpServer({
  name: 'shop',
  version: '1.0.0',
  tools: [
    tool('stock', 'How many of a product there are.', { product: z.string() }, async (input) => {
      const count = stock[String(input['product'])];
      looked.push(String(input['product']));
      return count === undefined
        ? { content: [{ type: 'text', text: 'There is no such product.' }], isError: true }
        : { content: [{ type: 'text', text: `${count} left` }] };
    }),
  ],
});

for await (const message of query({
  prompt: 'How much tea and milk is there?',
  options: { tools: [], mcpServers: { shop }, allowedTools: ['mcp__shop__stock'] },
})) {
  if (message.type === 'system' && message.subtype === 'init') console.log(message.tools?.join());
  if (message.type === 'user' && Array.isArray(message.message?.content)) {
    for (const { is_error } of message.message.content) console.log(is_error === true);
  }
  if (message.type === 'result') console.log(message.result);
}
console.log(`looked up ${looked.join(' and ')}`);
