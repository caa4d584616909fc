import type { OutputUsage } from '../usage/wire-usage.js';
import type { ReplyBlock } from './reply-plan.js';

/** Output tokens: one for each delta of text, thinking or tool input. */
export function countOutput(blocks: readonly ReplyBlock[]): OutputUsage {
  const usage: OutputUsage = { tokens: 0, thinking: 0, searches: 0 };
  for (const block of blocks) {
    usage.tokens += block.deltas.length;
    if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      usage.thinking += block.deltas.length;
    }
    if (block.type === 'server_tool_use' && block.name === 'web_search') usage.searches += 1;
  }
  return usage;
}
