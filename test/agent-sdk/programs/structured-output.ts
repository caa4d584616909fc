import { query } from '@anthropic-ai/claude-agent-sdk';
import * as z from 'zod';

const Invoice = z.object({ number: z.string(), total: z.number() });

for await (const message of query({
  prompt: 'Invoice 7 over 12.50 EUR. Extract it.',
  options: {
    tools: [],
    outputFormat: { type: 'json_schema', schema: z.toJSONSchema(Invoice, { target: 'draft-7' }) },
  },
})) {
  if (message.type !== 'result') continue;
  const { number, total } = Invoice.parse(message.structured_output);
  console.log(`${number}: ${total.toFixed(2)}`);
}
