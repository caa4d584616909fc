import { refuse } from '../http/wire-error.js';
import type { ModelProfile } from '../models/model-profile.js';
import { blocksOf, isThinkingBlock, type MessagesRequest } from '../request-types.js';
import { thinkingOf } from '../thinking/thinking-mode.js';

/** @throws a 400 for parameters that other models take and this one does not */
export function validateModelLimits(body: MessagesRequest, profile: ModelProfile): void {
  if (body.max_tokens > profile.mostOutput) {
    throw refuse(
      'max-tokens',
      `max_tokens: ${body.max_tokens} > ${profile.mostOutput}, which is the maximum allowed number ` +
        `of output tokens for ${profile.id}`,
    );
  }
  const system = body.messages.findIndex(({ role }) => role === 'system');
  if (system >= 0 && !profile.systemMessages) {
    throw refuse(
      'system-support',
      `messages.${system}: role 'system' is not supported on this model`,
    );
  }
  validateForcedTool(body, profile);
  validatePrefill(body, profile);
  validateThinkingFirst(body, profile);
}

function validateForcedTool(body: MessagesRequest, profile: ModelProfile): void {
  const type = body.tool_choice?.type;
  if (type !== 'any' && type !== 'tool') return;
  if (!profile.forcesTools) {
    throw refuse(
      'forced-tool',
      'tool_choice: type "tool" and "any" are not supported for this model.',
    );
  }
  if (body.thinking?.type === 'enabled') {
    throw refuse('forced-tool', 'Thinking may not be enabled when tool_choice forces tool use.');
  }
}

/** Refuses a prefill where the model takes none. A paused turn of server tools is no prefill. */
function validatePrefill(body: MessagesRequest, profile: ModelProfile): void {
  const last = body.messages.at(-1);
  if (last?.role !== 'assistant') return;
  if (blocksOf(last).some(({ type }) => type === 'server_tool_use')) return;
  if (profile.prefill && !thinkingOf(body, profile).on) {
    const end = blocksOf(last).at(-1);
    if (end?.type !== 'text' || end.text === end.text.trimEnd()) return;
    throw refuse(
      'prefill-space',
      'messages: final assistant content cannot end with trailing whitespace',
    );
  }
  throw refuse(
    'prefill',
    'This model does not support assistant message prefill. The conversation must end with a user ' +
      'message.',
  );
}

/** With `enabled`, a turn that goes on after a tool must have begun with thinking. */
function validateThinkingFirst(body: MessagesRequest, profile: ModelProfile): void {
  if (thinkingOf(body, profile).kind !== 'enabled') return;
  const { messages } = body;
  const opener = messages.findLastIndex(
    (message) =>
      message.role === 'user' && !blocksOf(message).some(({ type }) => type === 'tool_result'),
  );
  const index = messages.findIndex(({ role }, at) => at > opener && role === 'assistant');
  const message = messages[index];
  if (message === undefined) return;
  const blocks = blocksOf(message);
  const first = blocks[0];
  if (first === undefined || isThinkingBlock(first)) return;
  if (!blocks.some(({ type }) => type === 'tool_use')) return;
  throw refuse(
    'thinking-first',
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
      `\`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start ` +
      'with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).',
  );
}
