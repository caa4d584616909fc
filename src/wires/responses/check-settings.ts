import type { CreateResponseDto } from './create-response.dto.js';
import { badParam } from './responses-errors.js';

interface Setting {
  /** Values that change nothing, beside null. */
  allowed: readonly unknown[];
  why: string;
}

const noSampling = 'the models of this server are not given it';

/** Fields that change what a response is, and that the server has no option for. */
const settings = {
  tool_choice: {
    allowed: ['auto', 'none'],
    why: 'the model cannot be made to call a tool; leave out tools that it must not call',
  },
  service_tier: {
    allowed: ['auto', 'default', 'flex'],
    why: "there are two: 'default', and 'flex', whose turns run when no other waits",
  },
  // With `disabled`, OpenAI's default, only what is too long would differ: that is summarised here.
  truncation: {
    allowed: ['auto', 'disabled'],
    why: 'a long conversation is summarised, and no request fails for its length alone',
  },
  temperature: { allowed: [1], why: noSampling },
  top_p: { allowed: [1], why: noSampling },
  presence_penalty: { allowed: [0], why: noSampling },
  frequency_penalty: { allowed: [0], why: noSampling },
  top_logprobs: { allowed: [0], why: 'the models of this server give none' },
  max_tool_calls: {
    allowed: [],
    why: "limits of calls are in the agent's file; 'max_output_tokens' bounds each reply",
  },
  conversation: {
    allowed: [],
    why: "a conversation goes on with 'previous_response_id', or is sent whole as 'input'",
  },
  prompt: {
    allowed: [],
    why: "the server keeps no prompts; 'instructions' or an agent's file say what they would",
  },
  context_management: {
    allowed: [],
    why: 'the server itself summarises a long conversation',
  },
  moderation: { allowed: [], why: 'the server checks nothing beside the model' },
} as const satisfies Partial<Record<keyof CreateResponseDto, Setting>>;

/**
 * What `include` may name: parts of items that no response of this server has, and thinking, which the server keeps
 * with the conversation and sends to the model itself.
 */
const includable = [
  'reasoning.encrypted_content',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
];

/**
 * Refuses values that would change the meaning of a request, and that the server cannot give them.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function checkSettings(body: CreateResponseDto): void {
  for (const [name, { allowed, why }] of Object.entries<Setting>(settings)) {
    const value = body[name as keyof typeof settings];
    if (value === undefined || value === null || allowed.includes(value)) continue;
    const values = [...allowed.map((one) => JSON.stringify(one)), 'left out'].join(' or ');
    throw badParam(name, `'${name}' must be ${values}: ${why}.`);
  }
  if (body.store === false && body.background === true) {
    throw badParam(
      'store',
      "'store' must be true for 'background': such a response is asked for later.",
    );
  }
  const { include } = body;
  if (include === undefined || include === null) return;
  const wrong = Array.isArray(include)
    ? (include as unknown[]).find((one) => !includable.some((known) => known === one))
    : include;
  if (wrong === undefined) return;
  throw badParam(
    'include',
    `'include' may list ${includable.join(', ')}: the server has nothing else to add to a response.`,
  );
}
