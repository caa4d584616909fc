import { refuse } from '../http/wire-error.js';
import type { WireContract } from '../http/read-request.js';
import type { ModelProfile, ProfileThinking } from '../models/profiles.js';
import { blocksOf, isPaused, isThinkingBlock, type MessagesRequest } from '../request-types.js';
import { thinkingOf } from '../thinking/check-thinking.js';

/** @throws a 400 for parameters that other models take and this one does not */
export function checkModel(
  body: MessagesRequest,
  profile: ModelProfile,
  contract: WireContract,
): void {
  checkPlace(body, profile, contract);
  checkThinkingParam(body, profile);
  if (body.max_tokens > profile.maxOutputTokens) {
    throw refuse(
      'max-tokens',
      `max_tokens: ${body.max_tokens} > ${profile.maxOutputTokens}, which is the maximum allowed number ` +
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
  checkForcedTool(body, profile);
  checkPrefill(body, profile);
  checkThinkingFirst(body, profile);
}

const fastBeta = 'fast-mode-2026-02-01';

/** How fast, and where, a request is to be served. */
function checkPlace(
  { speed, inference_geo: region }: MessagesRequest,
  profile: ModelProfile,
  { betas }: WireContract,
): void {
  const isFast = profile.fast === 'always' || (profile.fast === 'with-beta' && betas.has(fastBeta));
  if (speed === 'fast' && !isFast) {
    throw refuse('speed', `speed: 'fast' is not supported on ${profile.id}`);
  }
  if (region !== undefined && region !== null && !profile.regions) {
    throw refuse('inference-geo', 'inference_geo: not supported on this model');
  }
}

function checkForcedTool(body: MessagesRequest, profile: ModelProfile): void {
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
function checkPrefill(body: MessagesRequest, profile: ModelProfile): void {
  const last = body.messages.at(-1);
  if (last?.role !== 'assistant') return;
  if (isPaused(last)) return;
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
function checkThinkingFirst(body: MessagesRequest, profile: ModelProfile): void {
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

/** @throws a 400 for thinking or effort that the model does not take */
function checkThinkingParam(body: MessagesRequest, profile: ModelProfile): void {
  const { thinking } = body;
  if (thinking !== undefined && !profile.thinking.includes(thinking.type)) {
    throw refuse('thinking-kind', kindRefusal(thinking.type, profile));
  }
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= body.max_tokens) {
    throw refuse(
      'thinking-budget',
      '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation ' +
        'at https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
    );
  }
  checkEffort(body, profile);
}

function kindRefusal(kind: ProfileThinking, profile: ModelProfile): string {
  if (kind === 'adaptive') return 'adaptive thinking is not supported on this model';
  const refused = `"thinking.type.${kind}" is not supported for this model.`;
  const instead =
    'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
  if (kind === 'between_tools') return refused;
  if (kind === 'enabled') return `${refused} ${instead}`;
  if (profile.thinking.includes('between_tools')) {
    return (
      'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of ' +
      '{"type": "disabled"}. The model does not think before responding. The short updates it ' +
      'writes between tool calls come back as thinking blocks.'
    );
  }
  if (!profile.thinking.includes('enabled')) return `${refused} ${instead}`;
  return (
    `${refused} Thinking defaults to adaptive mode when not specified; use ` +
    '"thinking.type.enabled" with "budget_tokens" for extended thinking.'
  );
}

function checkEffort(body: MessagesRequest, profile: ModelProfile): void {
  const level = body.output_config?.effort;
  if (level === undefined || level === null) return;
  if (profile.efforts.length === 0) {
    throw refuse('effort', 'This model does not support the effort parameter.');
  }
  if (!profile.efforts.includes(level)) {
    const supported = profile.efforts.toSorted().join(', ');
    throw refuse(
      'effort',
      `This model does not support effort level '${level}'. Supported levels: ${supported}.`,
    );
  }
  if (thinkingOf(body, profile).on || profile.effortsWithoutThinking.includes(level)) return;
  throw refuse(
    'effort-without-thinking',
    `output_config.effort '${level}' is not supported when thinking is disabled on this model. ` +
      "Use effort 'high' or below, or enable thinking.",
  );
}
