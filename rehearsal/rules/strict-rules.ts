export interface StrictRule {
  /** The refused requests, for the documentation. */
  refuses: string;
  status: 400 | 401 | 404 | 413;
  /** The source of the rule: a page of platform.claude.com/docs/en, the SDK's types, or reports. */
  source: string;
}

const messages = 'build-with-claude/working-with-messages';
const troubleshooting = 'build-with-claude/thinking-troubleshooting';
const systemMessages = 'build-with-claude/mid-conversation-system-messages';
const caching = 'build-with-claude/prompt-caching';
const vision = 'build-with-claude/vision';
const structured = 'build-with-claude/structured-outputs';
const errors = 'api/errors';
const types = 'SDK types';
const reported = 'reported 400s';

function rule(refuses: string, source: string, status: StrictRule['status'] = 400): StrictRule {
  return { refuses, source, status };
}

/** The rules by which the rehearsal refuses what the API refuses. Each refusal names its rule. */
export const strictRules = {
  'body-size': rule('a body over 32 MB', errors, 413),
  'body-json': rule('a body that is not JSON', errors),
  'lone-surrogate': rule('half a surrogate pair in any string', reported),
  'api-key': rule('a request without a key', errors, 401),
  'api-version': rule('no `anthropic-version`, or one that does not exist', 'api/versioning'),
  'unknown-model': rule('a model that does not exist or is retired', errors, 404),
  'request-shape': rule('a field that is missing, unknown or of the wrong type', types),
  'beta-field': rule('a field of a beta without its `anthropic-beta` header', types),
  sampling: rule(
    '`temperature`, `top_p`, `top_k` at any value, from version 2026-10-21 on',
    'api/versioning',
  ),
  speed: rule(
    '`speed: "fast"` for a model without it, or without the beta that the model asks for',
    'build-with-claude/fast-mode',
  ),
  'inference-geo': rule('`inference_geo` for a model before 4.6', 'manage-claude/data-residency'),
  'max-tokens': rule('`max_tokens` over the most that the model writes', reported),
  'prompt-too-long': rule('a prompt over the window', reported),
  'first-message': rule('a first message that is not a user message', reported),
  'message-count': rule('more than 100,000 messages', types),
  'empty-content': rule('a message without content, except a last assistant message', reported),
  'empty-text': rule('an empty text block', reported),
  'blank-text': rule('a text block of whitespace only', reported),
  'block-place': rule('a block in a role that cannot have it', types),
  'assistant-document': rule(
    'a document in an assistant message, from version 2026-10-21 on',
    'api/versioning',
  ),
  'user-citations': rule(
    'citations on the text of a user message, from version 2026-10-21 on',
    'api/versioning',
  ),
  'mixed-citations': rule('citations for some documents and not for others', reported),
  'empty-error-result': rule('a tool result with `is_error` and nothing in it', reported),
  'error-result-text': rule('a tool result with `is_error` and more than text', reported),
  'tool-name': rule('a tool name outside `^[a-zA-Z0-9_-]{1,64}$`', 'agents-and-tools/define-tools'),
  'tool-id': rule('a tool id outside `^[a-zA-Z0-9_-]+$`', reported),
  'tool-schema': rule('a schema that is not one of an object', reported),
  'tool-twice': rule('two tools of one name', reported),
  'deferred-tools': rule(
    'tools that are all deferred, or a cache mark on a deferred one',
    'agents-and-tools/tool-use/tool-search-tool',
  ),
  'tool-reference': rule(
    'a `tool_reference` to a tool that is not there',
    'agents-and-tools/tool-use/tool-search-tool',
  ),
  'strict-tools': rule('more than 20 strict tools', structured),
  'strict-schema': rule(
    'a schema of a strict tool outside the subset that is compiled',
    structured,
  ),
  'format-schema': rule(
    'a schema of `output_config.format` outside the subset that is compiled: an object without `additionalProperties: false`, a recursive or foreign `$ref`, limits of numbers, texts and lists',
    structured,
  ),
  'schema-limits': rule(
    'more than 24 optional parameters or 16 with unions, in all strict tools and the format together',
    structured,
  ),
  'format-citations': rule('`output_config.format` beside citations', structured),
  'format-prefill': rule('`output_config.format` with a last assistant message', structured),
  'tool-pairs': rule('a call without its result, a result without its call', messages),
  'server-tool-pairs': rule(
    'a call of one of the API’s own tools without its result, or the reverse',
    'agents-and-tools/tool-use/handle-tool-calls',
  ),
  'tool-choice': rule('a choice without tools, or of a tool that is not there', reported),
  'forced-tool': rule('a forced tool where the model does not take it', 'release-notes/overview'),
  'system-support': rule('`role: "system"` for a model without it', systemMessages),
  'system-place': rule('a system message at a place where none may be', systemMessages),
  prefill: rule('a last assistant message, from 4.6 on or with thinking', errors),
  'prefill-space': rule('a last assistant message that ends in whitespace', reported),
  'thinking-kind': rule('a kind of thinking that the model does not have', troubleshooting),
  'thinking-budget': rule('a budget under 1,024 or not under `max_tokens`', types),
  effort: rule('an effort that the model does not have', 'build-with-claude/effort'),
  'effort-without-thinking': rule('`xhigh` or `max` with thinking off', troubleshooting),
  'thinking-first': rule('a turn without thinking at its start, with `enabled`', reported),
  'thinking-modified': rule('changed thinking in the latest assistant turn', troubleshooting),
  'thinking-signature': rule('a signature that is damaged', troubleshooting),
  'thinking-bound': rule(
    'thinking after a changed conversation, with a gap, or put back',
    'build-with-claude/preserved-thinking',
  ),
  'cache-count': rule('more than four cache marks, the one at the top included', caching),
  'cache-order': rule('a mark of an hour after one of five minutes', caching),
  'cache-place': rule('a mark on thinking', caching),
  'image-type': rule('an image of another type than it says, or of none', reported),
  'image-bytes': rule('an image over 10 MB', vision),
  'image-pixels': rule('an image over 8,000 pixels, or 2,000 in a request of more than 20', vision),
  'media-count': rule(
    'more images and pages than the model takes',
    'build-with-claude/pdf-support',
  ),
  'pdf-type': rule('a PDF that is none', reported),
  directive: rule(
    'a directive that cannot be read (the rehearsal’s own)',
    'docs/reference/rehearsal-directives.md',
  ),
} as const satisfies Record<string, StrictRule>;

export type RuleId = keyof typeof strictRules;
