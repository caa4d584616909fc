import type Anthropic from '@anthropic-ai/sdk';
import { assertNever } from '../../platform/assert-never.js';
import type { ServerTool } from '../server-tools.js';

/**
 * A tool that the API runs, in the newest version that the SDK's types have. Only the model itself
 * calls it: from within code, its results would never come to the conversation, nor to a reader.
 */
export function toServerTool({ name, maxUses }: ServerTool): Anthropic.ToolUnion {
  const limit = maxUses === undefined ? {} : { max_uses: maxUses };
  switch (name) {
    case 'web_search':
      return { type: 'web_search_20260318', name, allowed_callers: ['direct'], ...limit };
    case 'web_fetch':
      return {
        type: 'web_fetch_20260318',
        name,
        allowed_callers: ['direct'],
        // Searches are always cited; what is fetched only when asked for.
        citations: { enabled: true },
        ...limit,
      };
    case 'code_execution':
      return { type: 'code_execution_20260521', name };
    default:
      return assertNever(name);
  }
}
