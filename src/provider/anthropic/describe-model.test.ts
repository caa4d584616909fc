import type { ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { expect, it } from '@jest/globals';
import { describeModel } from './describe-model.js';

const yes = { supported: true };
const no = { supported: false };

const info: ModelInfo = {
  type: 'model',
  id: 'claude-new-6',
  display_name: 'Claude New 6',
  created_at: '2026-11-09T00:00:00Z',
  lifecycle: 'deprecated',
  deprecated_at: '2026-11-10T00:00:00Z',
  retires_at: '2027-01-31T00:00:00Z',
  line: 'opus',
  max_input_tokens: 1_000_000,
  max_tokens: 128_000,
  capabilities: {
    batch: yes,
    citations: yes,
    code_execution: no,
    structured_outputs: yes,
    image_input: yes,
    pdf_input: no,
    server_tools: { supported: true, web_search: yes, code_execution: no },
    effort: { supported: true, low: yes, medium: yes, high: yes, xhigh: null, max: no },
    thinking: {
      supported: true,
      types: { adaptive: yes, between_tools: yes, enabled: no, disabled: no },
    },
    context_management: {
      supported: true,
      clear_thinking_20251015: yes,
      clear_tool_uses_20250919: yes,
      compact_20260112: null,
    },
  },
};

it('parses an entry of the API', () => {
  expect(describeModel(info)).toEqual({
    id: 'claude-new-6',
    name: 'Claude New 6',
    lifecycle: 'deprecated',
    retiresAt: '2027-01-31',
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: ['adaptive', 'between_tools'],
    efforts: ['low', 'medium', 'high'],
    seesImages: true,
    readsPdfs: false,
    structuredOutputs: true,
    serverTools: { webSearch: true, codeExecution: false },
  });
});

it('has no thinking and no effort of a model without them, though turning it off is taken', () => {
  const capabilities = {
    ...info.capabilities,
    thinking: { supported: false, types: { disabled: yes } },
    effort: { supported: false, low: yes },
  };
  expect(describeModel({ ...info, capabilities })).toMatchObject({ thinking: [], efforts: [] });
});

it.each([
  { id: 'llama-3' },
  { id: 'llama-3', object: 'model', created: 1, owned_by: 'us' },
  { id: 'llama-3', capabilities: null, max_tokens: null, retires_at: null, lifecycle: 'unknown' },
  { id: 'llama-3', capabilities: { thinking: null, effort: 'high' }, max_input_tokens: -1 },
])('leaves out what an entry lacks: %j', (given) => {
  expect(describeModel(given)).toEqual({ id: 'llama-3' });
});

it.each([
  undefined,
  'claude',
  {},
  { id: '' },
  { id: 'a b' },
  { id: 'a\0' },
  { id: 'a'.repeat(201) },
])('takes %j for no model', (given) => expect(describeModel(given)).toBeUndefined());
