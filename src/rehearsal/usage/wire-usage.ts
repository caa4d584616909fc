import type { PromptUsage } from './prompt-cache.js';

/** The usage of a message: `Usage` of the SDK. */
export interface WireUsage extends DeltaUsage {
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  inference_geo: null;
  service_tier: 'standard';
  speed: null;
}

/** The cumulative usage at the end of a stream: `MessageDeltaUsage` of the SDK. */
export interface DeltaUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
}

/** The output tokens of a reply; `thinking` is part of `tokens`. */
export interface OutputUsage {
  tokens: number;
  thinking: number;
  searches: number;
}

export function deltaUsage(prompt: PromptUsage, output: OutputUsage): DeltaUsage {
  return {
    input_tokens: prompt.input,
    cache_creation_input_tokens: prompt.write5m + prompt.write1h,
    cache_read_input_tokens: prompt.cacheRead,
    output_tokens: output.tokens,
    output_tokens_details: output.thinking === 0 ? null : { thinking_tokens: output.thinking },
    server_tool_use:
      output.searches === 0
        ? null
        : { web_search_requests: output.searches, web_fetch_requests: 0 },
  };
}

export function messageUsage(prompt: PromptUsage, output: OutputUsage): WireUsage {
  return {
    ...deltaUsage(prompt, output),
    cache_creation: {
      ephemeral_5m_input_tokens: prompt.write5m,
      ephemeral_1h_input_tokens: prompt.write1h,
    },
    inference_geo: null,
    service_tier: 'standard',
    speed: null,
  };
}
