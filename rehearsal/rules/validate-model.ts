import { refuse } from '../http/wire-error.js';
import { type ModelProfile, effortLevels, type ProfileThinking } from '../models/profiles.js';
import { blocksOf, isThinkingBlock, type MessagesRequest } from '../request-types.js';
import { thinkingOf } from '../thinking/check-thinking.js';
import { isPlainObject } from '../json.js';
import type { WireContract } from '../http/read-request.js';

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

const leastBudget = 1_024;
export const bindingBeta = 'thinking-binding-controls-2026-08-01';
const updatesBeta = 'thinking-display-updates-2026-08-18';

const kinds = ['adaptive', 'between_tools', 'enabled', 'disabled'] as const;

/** The fields of each kind beside its type. */
const fieldsOf: Record<ProfileThinking, readonly string[]> = {
  adaptive: ['display', 'block_binding'],
  enabled: ['budget_tokens', 'display', 'block_binding'],
  between_tools: [],
  disabled: [],
};

/** @throws a 400 for thinking or effort that the model does not take */
export function validateThinking(
  body: MessagesRequest,
  profile: ModelProfile,
  contract: WireContract,
): void {
  const thinking: unknown = body.thinking;
  if (thinking !== undefined) {
    if (!isPlainObject(thinking)) {
      throw refuse('request-shape', 'thinking: Input should be an object');
    }
    const kind = kinds.find((known) => known === thinking['type']);
    if (kind === undefined) {
      const tags = kinds.map((known) => `'${known}'`).join(', ');
      throw refuse('request-shape', `thinking: Input should have a 'type' of ${tags}`);
    }
    if (!profile.thinking.includes(kind)) {
      throw refuse('thinking-kind', kindRefusal(kind, profile));
    }
    validateFields(thinking, kind, contract);
    if (kind === 'enabled') validateBudget(thinking['budget_tokens'], body.max_tokens);
  }
  validateEffort(body, profile);
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

function validateFields(
  thinking: Record<string, unknown>,
  kind: ProfileThinking,
  contract: WireContract,
): void {
  for (const field of Object.keys(thinking)) {
    if (field === 'type' || thinking[field] === null) continue;
    if (!fieldsOf[kind].includes(field)) throw extra('request-shape', `${kind}.${field}`);
    if (field === 'block_binding' && !contract.betas.has(bindingBeta)) {
      throw extra('beta-field', `${kind}.${field}`);
    }
  }
  const { display } = thinking;
  if (display === 'updates' && contract.betas.has(updatesBeta)) return;
  if (
    display === undefined ||
    display === null ||
    display === 'summarized' ||
    display === 'omitted'
  )
    return;
  const values = "Input should be 'summarized' or 'omitted'";
  throw refuse('request-shape', `thinking.${kind}.display: ${values}`);
}

function extra(rule: 'request-shape' | 'beta-field', field: string): Error {
  return refuse(rule, `thinking.${field}: Extra inputs are not permitted`);
}

function validateBudget(budget: unknown, maxTokens: number): void {
  const path = 'thinking.enabled.budget_tokens';
  if (budget === undefined) throw refuse('request-shape', `${path}: Field required`);
  if (!Number.isInteger(budget) || Number(budget) < leastBudget) {
    const least = `Input should be greater than or equal to ${leastBudget}`;
    throw refuse('thinking-budget', `${path}: ${least}`);
  }
  if (Number(budget) < maxTokens) return;
  throw refuse(
    'thinking-budget',
    '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation ' +
      'at https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
  );
}

function validateEffort(body: MessagesRequest, profile: ModelProfile): void {
  const effort: unknown = body.output_config?.effort;
  if (effort === undefined || effort === null) return;
  const level = effortLevels.find((known) => known === effort);
  if (level === undefined) {
    const levels = effortLevels.map((known) => `'${known}'`).join(', ');
    throw refuse('request-shape', `output_config.effort: Input should be ${levels}`);
  }
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
