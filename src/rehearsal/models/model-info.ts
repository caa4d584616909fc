import type { EffortLevel, ModelProfile, ProfileThinking } from './model-profile.js';

interface Support {
  supported: boolean;
}

/** A model as the API describes it: `ModelInfo` of the SDK. */
export interface ModelInfo {
  type: 'model';
  id: string;
  display_name: string;
  created_at: string;
  lifecycle: ModelProfile['lifecycle'];
  deprecated_at: string | null;
  retires_at: string | null;
  line: ModelProfile['line'];
  max_input_tokens: number;
  max_tokens: number;
  capabilities: {
    batch: Support;
    citations: Support;
    code_execution: Support;
    context_management: Support & {
      clear_thinking_20251015: Support;
      clear_tool_uses_20250919: Support;
      compact_20260112: Support;
    };
    effort: Support & Record<EffortLevel, Support>;
    image_input: Support;
    pdf_input: Support;
    server_tools: Support & { code_execution: Support; web_search: Support };
    structured_outputs: Support;
    thinking: Support & { types: Record<ProfileThinking, Support> };
  };
}

export function toModelInfo(profile: ModelProfile): ModelInfo {
  return {
    type: 'model',
    id: profile.id,
    display_name: profile.name,
    created_at: instant(profile.created),
    lifecycle: profile.lifecycle,
    deprecated_at: profile.deprecated === undefined ? null : instant(profile.deprecated),
    retires_at: profile.retires === undefined ? null : instant(profile.retires),
    line: profile.line,
    max_input_tokens: profile.window,
    max_tokens: profile.mostOutput,
    capabilities: capabilitiesOf(profile),
  };
}

function capabilitiesOf(profile: ModelProfile): ModelInfo['capabilities'] {
  const callable = support(profile.lifecycle !== 'retired');
  const compacts = support(callable.supported && !profile.prefill);
  const effort = (level: EffortLevel): Support => support(profile.efforts.includes(level));
  const thinks = (kind: ProfileThinking): Support => support(profile.thinking.includes(kind));
  return {
    batch: callable,
    citations: callable,
    code_execution: callable,
    context_management: {
      ...callable,
      clear_thinking_20251015: callable,
      clear_tool_uses_20250919: callable,
      compact_20260112: compacts,
    },
    effort: {
      ...support(profile.efforts.length > 0),
      low: effort('low'),
      medium: effort('medium'),
      high: effort('high'),
      xhigh: effort('xhigh'),
      max: effort('max'),
    },
    image_input: support(true),
    pdf_input: callable,
    server_tools: { ...callable, code_execution: callable, web_search: callable },
    structured_outputs: callable,
    thinking: {
      ...support(profile.thinking.some((kind) => kind !== 'disabled')),
      types: {
        adaptive: thinks('adaptive'),
        between_tools: thinks('between_tools'),
        disabled: thinks('disabled'),
        enabled: thinks('enabled'),
      },
    },
  };
}

function support(supported: boolean): Support {
  return { supported };
}

function instant(date: string): string {
  return `${date}T00:00:00Z`;
}
