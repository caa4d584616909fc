import { describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import {
  accept,
  assistant,
  call,
  hello,
  image,
  png,
  result,
  textBlock,
  tool,
  user,
} from '../test/support/rehearsal/sample-requests.js';
import { failureNames } from './directives/named-failures.js';
import { errorEnvelope, WireError } from './http/wire-error.js';
import { findProfile, toModelInfo } from './models/models.js';
import { startRehearsal } from './start-rehearsal.js';
import { promptItems } from './usage/prompt-items.js';
import { useShared } from '../test/support/suite.js';

/** What the API does as of 2026-11-26, value by value. */

/** Failures by their `error_code`, as the contract has them: its status, the type of the error, our words. */
const failures: readonly [string, number, string, RegExp][] = [
  ['workspace_human_review_disabled', 400, 'invalid_request_error', /Human review is disabled/],
  ['organization_on_hold', 400, 'invalid_request_error', /organization has been disabled/],
  ['organization_type_not_supported', 400, 'invalid_request_error', /not support the organization/],
  ['parent_organization_required', 400, 'invalid_request_error', /needs a parent organization/],
  ['cmek_key_disabled', 400, 'invalid_request_error', /encryption key is disabled/],
  ['cmek_key_network_blocked', 400, 'invalid_request_error', /encryption key was blocked/],
  ['available_tools_limit_exceeded', 400, 'invalid_request_error', /too many tools/],
  ['tool_name_conflict', 400, 'invalid_request_error', /Two tools .* have one name/],
  ['request_body_encoding_invalid', 400, 'invalid_request_error', /could not be decoded/],
  ['request_body_encoding_unsupported', 400, 'invalid_request_error', /encoding .* not supported/],
  ['linked_organization_billing_unavailable', 402, 'billing_error', /cannot be billed/],
  ['linked_organization_spend_limit_reached', 402, 'billing_error', /at its spend limit/],
  ['sandbox_egress_restricted', 403, 'permission_error', /may not reach this address/],
  ['thread_not_found', 404, 'not_found_error', /no such thread/],
  ['request_body_too_large_after_decoding', 413, 'request_too_large', /body is too large/],
  ['enforced_spend_limit_reached', 429, 'rate_limit_error', /has reached its spend limit/],
  ['contract_spend_limit_reached', 429, 'rate_limit_error', /spend limit of its contract/],
  ['ramp_limit_exceeded', 429, 'rate_limit_error', /risen faster/],
  ['cmek_context_unavailable', 503, 'api_error', /settings could not be read/],
  ['cmek_key_unreachable', 503, 'api_error', /could not be reached/],
  ['compaction_unavailable', 529, 'overloaded_error', /Compaction is unavailable/],
];

/** The refusal of a request, as the wire has it; undefined where it is taken. */
function refusalOf(asked: Parameters<typeof accept>[0]) {
  try {
    accept(asked);
  } catch (error) {
    if (error instanceof WireError) {
      return { status: error.status, ...errorEnvelope(error, 'req_1') };
    }
    throw error;
  }
  return undefined;
}

describe('images', () => {
  const wide = image(png(2_001, 10));
  const small = image(png(2_000, 2_000));
  const url = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
  const many = (count: number, block: object = small) => Array.from({ length: count }, () => block);

  const detailsOf = (messages: unknown[]) => refusalOf({ messages })?.error.details;

  it('may have 2,000 pixels a side where there are more than 20, of earlier turns and results too', () => {
    const messages = [
      user(...many(10), wide, textBlock('these')),
      assistant(call('1')),
      user(result('1', { content: [...many(8), wide] })),
    ];
    expect(detailsOf([...messages, assistant(textBlock('ok')), hello])).toBeUndefined();
    expect(
      detailsOf([...messages, assistant(textBlock('ok')), user(small, textBlock('and'))]),
    ).toEqual({
      error_code: 'image_dimensions_too_large',
      max_side_length_pixels: 2_000,
      paths: ['messages.0.content.10', 'messages.2.content.0.content.8'],
    });
  });

  it('count wherever they come from', () => {
    expect(detailsOf([user(wide, ...many(20, url))])).toMatchObject({
      paths: ['messages.0.content.0'],
    });
    expect(detailsOf([user(...many(21))])).toBeUndefined();
  });

  it('may have 8,000 pixels a side where there are fewer', () => {
    expect(detailsOf([user(image(png(8_001, 1)), small)])).toEqual({
      error_code: 'image_dimensions_too_large',
      max_side_length_pixels: 8_000,
      paths: ['messages.0.content.0'],
    });
  });
});

describe('models', () => {
  it.each([
    ['claude-opus-4-5', 'deprecated', '2027-01-22T00:00:00Z'],
    ['claude-sonnet-4-5', 'deprecated', '2026-11-30T00:00:00Z'],
    // Overdue, and served: `lifecycle` alone says that a model is gone.
    ['claude-mythos-preview', 'deprecated', '2026-06-30T00:00:00Z'],
    ['claude-haiku-4-5', 'active', null],
  ])('%s is %s and retires at %s', (model, lifecycle, retires) => {
    expect(toModelInfo(findProfile(model))).toMatchObject({ lifecycle, retires_at: retires });
    expect(accept({ model, max_tokens: 100 }).profile.lifecycle).toBe(lifecycle);
  });
});

describe('parameters', () => {
  it.each([
    ['claude-fable-5-2', []],
    ['claude-mythos-5-2', []],
    ['claude-opus-5-5', []],
    ['claude-opus-5', ['fast-mode-2026-02-01']],
    ['claude-opus-4-8', ['fast-mode-2026-02-01']],
  ])('take speed fast for %s with betas %j', (model, betas) => {
    expect(accept({ model, speed: 'fast', betas }).body.speed).toBe('fast');
  });

  it.each(['auto', 'standard_only'])('take service_tier %s', (tier) => {
    expect(accept({ service_tier: tier }).body.service_tier).toBe(tier);
  });

  it.each(['claude-opus-4-6', 'claude-sonnet-4-6', 'claude-haiku-5-5'])(
    'take inference_geo for %s',
    (model) => {
      expect(accept({ model, inference_geo: 'us' }).body.inference_geo).toBe('us');
    },
  );
});

describe('tool search', () => {
  const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
  const late = tool('late', { defer_loading: true, description: 'words '.repeat(50) });
  const count = (text: string) => text.length;
  const tokens = (asked: Parameters<typeof accept>[0]) => {
    const { body, profile } = accept(asked);
    return promptItems(body, profile, count).reduce((sum, item) => sum + item.tokens, 0);
  };

  it('keeps a deferred tool out of the prompt until a reference names it', () => {
    const asked = [hello, assistant(call('1'))];
    const without = tokens({ tools: [search], messages: [...asked, user(result('1'))] });
    const deferred = tokens({ tools: [search, late], messages: [...asked, user(result('1'))] });
    expect(deferred).toBe(without);
    const reference = { type: 'tool_reference', tool_name: 'late' };
    const found = tokens({
      tools: [search, late],
      messages: [...asked, user(result('1', { content: [reference] }))],
    });
    expect(found - deferred).toBeGreaterThan('words '.repeat(50).length - 10);
  });

  const found = (name: string) => ({ type: 'tool_reference', tool_name: name });
  it.each([
    [
      'a search of the client',
      [hello, assistant(call('1')), user(result('1', { content: [found('late'), found('gone')] }))],
      'messages.2.content.0',
    ],
    [
      "a search of the API's",
      [
        hello,
        assistant(
          { type: 'server_tool_use', id: 'srvtoolu_1', name: search.name, input: {} },
          {
            type: 'tool_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: {
              type: 'tool_search_tool_search_result',
              tool_references: [found('late'), found('gone')],
            },
          },
        ),
        hello,
      ],
      'messages.1.content.1',
    ],
  ])('must find tools of the request, in %s', (_name, messages, path) => {
    const tools = [search, late];
    expect(refusalOf({ tools, messages })).toMatchObject({
      status: 400,
      error: {
        type: 'invalid_request_error',
        message: `${path}: Tool reference 'gone' not found in available tools`,
        details: { error_code: 'tool_reference_unresolved' },
      },
    });
    expect(refusalOf({ tools: [...tools, tool('gone')], messages })).toBeUndefined();
  });

  it('may find nothing, or fail', () => {
    const contents = [
      { type: 'tool_search_tool_search_result', tool_references: [] },
      { type: 'tool_search_tool_result_error', error_code: 'unavailable' },
    ];
    for (const content of contents) {
      const messages = [
        hello,
        assistant(
          { type: 'server_tool_use', id: 'srvtoolu_1', name: search.name, input: {} },
          { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content },
        ),
        hello,
      ];
      expect(accept({ tools: [search, late], messages }).body.tools).toHaveLength(2);
    }
  });
});

describe('betas', () => {
  const binding = { prefix_mismatch_behavior: 'drop_block' };
  const thinking = (more: object) => ({ thinking: { type: 'adaptive', ...more } });
  const extra = 'Extra inputs are not permitted';
  const opened: readonly [string, string, object, string][] = [
    ['context-management-2025-06-27', 'context_management', { context_management: {} }, extra],
    ['compact-2026-01-12', 'context_management', { context_management: {} }, extra],
    ['compact-2026-09-04', 'compaction', { compaction: { type: 'summarize' } }, extra],
    ['mcp-client-2025-11-20', 'mcp_servers', { mcp_servers: [] }, extra],
    ['mcp-client-2026-09-15', 'mcp_servers', { mcp_servers: [] }, extra],
    ['server-side-fallback-2026-06-01', 'fallbacks', { fallbacks: [] }, extra],
    ['server-side-fallback-2026-07-01', 'fallbacks', { fallbacks: [] }, extra],
    ['message-threads-2026-08-12', 'thread', { thread: { type: 'create' } }, extra],
    [
      'thinking-binding-controls-2026-08-01',
      'thinking.adaptive.block_binding',
      thinking({ block_binding: binding }),
      extra,
    ],
    [
      'thinking-display-updates-2026-08-18',
      'thinking.adaptive.display',
      thinking({ display: 'updates' }),
      "Input should be 'summarized' or 'omitted'",
    ],
  ];
  const all = opened.map(([beta]) => beta);

  it.each(opened)('%s opens %s', (beta, field, body, says) => {
    expect(refusalOf({ ...body, betas: [beta] })).toBeUndefined();
    const others = all.filter(
      (other) => !opened.some(([one, at]) => one === other && at === field),
    );
    for (const betas of [[], others]) {
      expect(refusalOf({ ...body, betas })).toMatchObject({
        status: 400,
        error: { type: 'invalid_request_error', message: `${field}: ${says}` },
      });
    }
  });

  it('fast-mode-2026-02-01 opens speed for Opus 5 and Opus 4.8, and for no others', () => {
    const betas = ['fast-mode-2026-02-01'];
    for (const model of ['claude-opus-5', 'claude-opus-4-8']) {
      expect(refusalOf({ model, speed: 'fast', betas })).toBeUndefined();
      expect(refusalOf({ model, speed: 'fast', betas: all })).toMatchObject({
        status: 400,
        error: { message: `speed: 'fast' is not supported on ${model}` },
      });
    }
    expect(refusalOf({ model: 'claude-sonnet-5-5', speed: 'fast', betas })).toBeDefined();
  });
});

describe('over HTTP', () => {
  const rehearsal = useShared(startRehearsal);
  const client = useShared(
    () => new Anthropic({ apiKey: 'k', baseURL: rehearsal.url, maxRetries: 0 }),
  );

  const ask = (content: string, more: object = {}) =>
    client.messages.create({
      model: 'claude-opus-5-5',
      max_tokens: 1_000,
      messages: [{ role: 'user', content }],
      ...more,
    });

  it('says what served a request', async () => {
    const { usage } = await ask('Hi', {
      speed: 'fast',
      inference_geo: 'us',
      service_tier: 'standard_only',
    });
    expect(usage).toMatchObject({ speed: 'fast', inference_geo: 'us', service_tier: 'standard' });
    expect((await ask('Hi')).usage).toMatchObject({ speed: null, inference_geo: null });
  });

  it('caches for an hour without a header, and says so apart', async () => {
    const system = [
      {
        type: 'text' as const,
        text: 'long '.repeat(2_000),
        cache_control: { type: 'ephemeral' as const, ttl: '1h' as const },
      },
    ];
    const { usage } = await ask('Hi', { system });
    expect(usage.cache_creation?.ephemeral_1h_input_tokens).toBeGreaterThan(2_000);
    expect(usage.cache_creation?.ephemeral_5m_input_tokens).toBe(0);
  });

  it('finds deferred tools by the words of a query', async () => {
    const { content } = await ask('[[server=tool_search_tool_bm25 {"query":"something late"}]]', {
      tools: [
        { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
        { name: 'late', input_schema: { type: 'object' }, defer_loading: true },
      ],
    });
    expect(content).toContainEqual(
      expect.objectContaining({
        type: 'tool_search_tool_result',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'late' }],
        },
      }),
    );
  });

  it.each(failures)('fails with %s as %i', async (code, status, type, message) => {
    await expect(ask(`[[fail=${code}]]`)).rejects.toMatchObject({
      status,
      type,
      errorCode: code,
      error: { error: { message: expect.stringMatching(message), details: { error_code: code } } },
    });
  });

  it.each([
    ['spend_limit', 400, undefined, /^You have reached your specified API usage limits/],
    ['credit', 400, undefined, /^Your credit balance is too low/],
    ['prompt_too_long', 400, undefined, /^prompt is too long: 1000001 tokens > 1000000 maximum$/],
    ['bound', 400, undefined, /bound to a different conversation/],
    ['enforced_spend_limit', 429, 'enforced_spend_limit_reached', /spend limit/],
    ['ramp_limit', 429, 'ramp_limit_exceeded', /ramp it up/],
  ])('fails with %s in the words of the API', async (name, status, code, words) => {
    await expect(ask(`[[fail=${name}]]`)).rejects.toMatchObject({
      status,
      errorCode: code ?? null,
      error: { error: { message: expect.stringMatching(words) } },
    });
  });

  it('fails with each code, and with no other', () => {
    const words = ['spend_limit', 'credit', 'prompt_too_long', 'bound'];
    const shorter = ['enforced_spend_limit', 'ramp_limit'];
    const codes = failures.map(([code]) => code);
    expect([...failureNames].toSorted()).toEqual([...words, ...shorter, ...codes].toSorted());
  });
});
