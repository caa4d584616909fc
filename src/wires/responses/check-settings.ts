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
  store: {
    allowed: [true],
    why: 'every response is a turn, which is stored with its conversation',
  },
  tool_choice: {
    allowed: ['auto', 'none'],
    why: 'the model cannot be made to call a tool; leave out tools that it must not call',
  },
  service_tier: {
    allowed: ['auto', 'default', 'flex'],
    why: "there are two: 'default', and 'flex', whose turns run when no other waits",
  },
  parallel_tool_calls: {
    allowed: [true],
    why: 'the model may ask for several calls at once; tools with effects run one after the other',
  },
  truncation: {
    allowed: ['auto'],
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
} as const satisfies Partial<Record<keyof CreateResponseDto, Setting>>;

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
  const { include } = body;
  if (include === undefined || include === null) return;
  if (Array.isArray(include) && include.length === 0) return;
  throw badParam('include', "'include' must be empty or left out: responses have all there is.");
}
