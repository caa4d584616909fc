import { query } from '@anthropic-ai/claude-agent-sdk';

const limit = 0.000_01;
try {
  for await (const message of query({
    prompt: 'Read everything.',
    options: { tools: ['Read'], settingSources: [], maxBudgetUsd: limit },
  })) {
    if (message.type === 'result' && message.subtype === 'error_max_budget_usd') {
      console.log(`over the budget: ${(message.total_cost_usd ?? 0) > limit}`);
    }
  }
} catch (error) {
  console.log(error instanceof Error ? 'stopped' : 'odd');
}
