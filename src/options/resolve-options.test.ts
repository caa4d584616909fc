import { describe, expect, it } from '@jest/globals';
import { parsePersona } from '../../test/support/agents/parse-persona.js';
import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import { canonicalJson } from '../platform/json.js';
import { freeLimits } from './resolve-limits.js';
import { resolveOptions } from './resolve-options.js';
import type { OptionSources } from './option-rule.js';

const plain = parsePersona('WORKING_ITEMS', 'Prompt');
const session = { persona: 'WORKING_ITEMS', mode: 'direct' };

const limits = freeLimits({ turnTimeoutMs: 60_000 });

const resolve = (sources: Partial<OptionSources>) =>
  resolveOptions({ opts: undefined, session, persona: plain, defaults: {}, limits, ...sources });

const personaWith = (...lines: string[]) =>
  parsePersona('P', ['---', ...lines, '---', 'Prompt'].join('\n'));

const finalDefaults = {
  model: 'claude-sonnet-5-5',
  tools: ['read', 'write', 'bash'],
  maxTurns: 12,
  persona: 'WORKING_ITEMS',
  mode: 'direct',
  onBusy: 'reject',
  onDisconnect: 'cancel',
  priority: 'normal',
  thinking: false,
  citations: false,
  memory: false,
  attachmentsAs: 'native',
  agentConfig: limits,
};

const allFrom = (from: string) =>
  Object.fromEntries(agentConfigFields.map(({ name }) => [name, from]));

describe('resolveOptions', () => {
  it.each([undefined, {}])('gives the defaults for %j', (opts) => {
    expect(resolve({ opts })).toEqual({
      agentVersion: plain.version,
      options: finalDefaults,
      provenance: {
        model: 'default',
        fallbackModel: 'default',
        fallbackModels: 'default',
        tools: 'default',
        maxTurns: 'default',
        persona: 'session',
        mode: 'session',
        onBusy: 'default',
        onDisconnect: 'default',
        priority: 'default',
        subagentGovernance: 'default',
        thinking: 'default',
        citations: 'default',
        memory: 'default',
        attachmentsAs: 'default',
        maxTokens: 'default',
        output: 'default',
        agentConfig: allFrom('default'),
      },
      problems: [],
    });
  });

  it('takes every valid option', () => {
    const opts = {
      model: ' claude-x ',
      fallbackModel: ' claude-y ',
      fallbackModels: ['bedrock/claude-x', ' openai/gpt-6 '],
      tools: [' read ', '', 'glob', 'read'],
      maxTurns: 25,
      persona: ' EDITOR ',
      mode: ' dontAsk ',
      onBusy: 'enqueue',
      onDisconnect: 'continue',
      priority: 'background',
      thinking: true,
      citations: true,
      memory: true,
      attachmentsAs: 'text',
      maxTokens: 500,
      output: { schema: { type: 'object' } },
      agentConfig: { timeout_seconds: 30 },
      subagentGovernance: { contextSealed: 'yes' },
    };
    expect(resolve({ opts, persona: { ...plain, name: 'EDITOR' } })).toEqual({
      agentVersion: plain.version,
      options: {
        model: 'claude-x',
        fallbackModel: 'claude-y',
        fallbackModels: ['bedrock/claude-x', 'openai/gpt-6'],
        tools: ['read', 'glob'],
        maxTurns: 25,
        persona: 'EDITOR',
        mode: 'dontAsk',
        onBusy: 'enqueue',
        onDisconnect: 'continue',
        priority: 'background',
        thinking: true,
        citations: true,
        memory: true,
        attachmentsAs: 'text',
        maxTokens: 500,
        output: { schema: { type: 'object' }, repairs: 1 },
        agentConfig: { ...limits, maxIterations: 25, timeoutSeconds: 30 },
        subagentGovernance: { contextSealed: 'yes' },
      },
      provenance: {
        model: 'opts',
        fallbackModel: 'opts',
        fallbackModels: 'opts',
        tools: 'opts',
        maxTurns: 'opts',
        persona: 'opts',
        mode: 'opts',
        onBusy: 'opts',
        onDisconnect: 'opts',
        priority: 'opts',
        subagentGovernance: 'opts',
        thinking: 'opts',
        citations: 'opts',
        memory: 'opts',
        attachmentsAs: 'opts',
        maxTokens: 'opts',
        output: 'opts',
        agentConfig: { ...allFrom('default'), maxIterations: 'opts', timeoutSeconds: 'opts' },
      },
      problems: [],
    });
  });

  it.each([
    [{ fallbackModel: 'a' }, 'a', 'opts'],
    [{ fallbackModel: 7 }, 'm', 'persona'],
    [{}, 'm', 'persona'],
  ])('takes the fallback model of %j before that of the persona', (opts, value, from) => {
    const persona = personaWith('fallback_model: m');
    const { options, provenance } = resolve({ persona, opts });
    expect([options.fallbackModel, provenance.fallbackModel]).toEqual([value, from]);
  });

  it.each([
    ['opts', { model: 'a', mode: 'plan' }, { model: 'a', mode: 'plan' }],
    ['persona', {}, { model: 'm', mode: 'acceptEdits' }],
  ])('takes model and mode of an agent from %s', (from, opts, options) => {
    const persona = personaWith('model: m', 'permissions: {mode: acceptEdits}');
    const resolved = resolve({ opts, persona, asAgent: true, defaults: { agentsModel: 'c' } });
    expect(resolved.options).toMatchObject(options);
    expect(resolved.provenance).toMatchObject({ model: from, mode: from });
    const asPersona = resolve({ persona, defaults: { agentsModel: 'c' } });
    expect(asPersona.options).toMatchObject({ model: 'c', mode: 'direct' });
  });

  it.each([
    ['the wire’s, where its clients can be asked', { asAgent: true, wireMode: 'direct' }, 'direct'],
    ['the wire’s, where they cannot', { asAgent: true, wireMode: 'dontAsk' }, 'dontAsk'],
    [
      'the wire’s, whatever the session has',
      { session: { persona: 'A', mode: 'plan' }, wireMode: 'direct' },
      'direct',
    ],
    ['the request’s before the wire’s', { opts: { mode: 'plan' }, wireMode: 'direct' }, 'plan'],
  ] as const)('has for a mode %s', (_what, more, mode) => {
    expect(resolve(more).options.mode).toBe(mode);
  });

  it('has for a mode that of the agent’s file before the wire’s', () => {
    const agent = personaWith('permissions: { mode: acceptEdits }');
    const { options } = resolve({ persona: agent, asAgent: true, wireMode: 'direct' });
    expect(options.mode).toBe('acceptEdits');
  });

  it.each([
    [undefined, 'continue', 'default'],
    [{ onDisconnect: 'never' }, 'continue', 'default'],
    [{ onDisconnect: 'cancel' }, 'cancel', 'opts'],
  ])('takes the wire’s word on readers that leave where %j has none', (opts, value, from) => {
    const { options, provenance } = resolve({ opts, wireOnDisconnect: 'continue' });
    expect([options.onDisconnect, provenance.onDisconnect]).toEqual([value, from]);
  });

  it('asks nobody about the calls of an agent whose file says nothing', () => {
    const { options, provenance } = resolve({ asAgent: true });
    expect([options.mode, provenance.mode]).toEqual(['dontAsk', 'default']);
  });

  it('takes the output of the request before that of the persona', () => {
    const persona = personaWith('output: {schema: {type: object, title: p}, repairs: 0}');
    const schema = { type: 'object', title: 'o' };
    const given = resolve({ persona, opts: { output: { schema } } });
    expect([given.options.output, given.provenance.output]).toEqual([
      { schema, repairs: 1 },
      'opts',
    ]);
    const own = resolve({ persona });
    expect([own.options.output?.repairs, own.provenance.output]).toEqual([0, 'persona']);
  });

  it('takes how files are shown from the file of the persona', () => {
    const persona = personaWith('attachments: text', 'citations: true');
    const { options, provenance } = resolve({ persona, opts: { citations: false } });
    expect(options).toMatchObject({ attachmentsAs: 'text', citations: false });
    expect(provenance).toMatchObject({ attachmentsAs: 'persona', citations: 'opts' });
  });

  it('takes a memory from the turn or its agent, unless the server has none', () => {
    const persona = personaWith('memory: true');
    const chosen = (more: object) => {
      const { options, provenance, problems } = resolve({ persona, ...more });
      return [options.memory, provenance.memory, problems];
    };
    expect(chosen({})).toEqual([true, 'persona', []]);
    expect(chosen({ opts: { memory: false } })).toEqual([false, 'opts', []]);
    expect(chosen({ allowsMemory: false })).toEqual([false, 'environment', []]);
    expect(chosen({ allowsMemory: false, opts: { memory: false } })).toEqual([false, 'opts', []]);
    const [, , problems] = chosen({ allowsMemory: false, opts: { memory: true } });
    expect(problems).toEqual([
      { kind: 'without-effect', key: 'memory', reason: expect.stringContaining('TURNPIKE_MEMORY') },
    ]);
  });

  it.each([
    ['opts', { model: 'a' }, { environmentModel: 'b', agentsModel: 'c' }, 'a'],
    ['environment', {}, { environmentModel: ' b ', agentsModel: 'c' }, 'b'],
    ['environment', { model: ' ' }, { environmentModel: 'b', agentsModel: 'c' }, 'b'],
    ['instructions', {}, { agentsModel: 'c' }, 'c'],
    ['instructions', {}, { environmentModel: ' ', agentsModel: 'c' }, 'c'],
    ['default', {}, {}, finalDefaults.model],
  ])('takes the model from %s', (from, opts, defaults, model) => {
    const resolved = resolve({ opts, defaults, persona: personaWith('model: persona-model') });
    expect(resolved.options.model).toBe(model);
    expect(resolved.provenance.model).toBe(from);
  });

  it.each([
    ['opts', { tools: ['glob'] }, ['tools: [grep]'], ['glob']],
    ['opts', { tools: [] }, ['tools: [grep]'], []],
    ['opts', { tools: [' ', ''] }, ['tools: [grep]'], []],
    ['persona', {}, ['tools: [grep, read]'], ['grep', 'read']],
    ['persona', {}, ['tools: []'], []],
    ['persona', { tools: ['read', 1] }, ['tools: [grep]'], ['grep']],
    ['persona', { tools: 'read' }, ['tools: [grep]'], ['grep']],
    ['default', {}, ['tools: grep, read'], finalDefaults.tools],
    ['default', { tools: null }, [], finalDefaults.tools],
  ])('takes the tools from %s for %j and %j', (from, opts, lines, tools) => {
    const resolved = resolve({ opts, persona: personaWith(...lines) });
    expect(resolved.options.tools).toEqual(tools);
    expect(resolved.provenance.tools).toBe(from);
  });

  it.each([
    ['opts', { maxTurns: 1 }, ['max_turns: 7'], 1],
    ['persona', {}, ['max_turns: 7'], 7],
    ['persona', { maxTurns: 0 }, ['max_turns: 7'], 7],
    ['default', {}, ['max_turns: 0'], 12],
    ['default', {}, ['max_turns: "7"'], 12],
    ['default', { maxTurns: 1.5 }, [], 12],
    ['default', { maxTurns: -1 }, [], 12],
    ['default', { maxTurns: '5' }, [], 12],
    ['default', { maxTurns: Number.NaN }, [], 12],
    ['default', { maxTurns: 1e300 }, [], 12],
  ])('takes maxTurns from %s for %j and %j', (from, opts, lines, maxTurns) => {
    const resolved = resolve({ opts, persona: personaWith(...lines) });
    expect(resolved.options.maxTurns).toBe(maxTurns);
    expect(resolved.provenance.maxTurns).toBe(from);
  });

  it.each([
    [{ mode: 'plan' }, 'dontAsk', 'plan', 'opts'],
    [{ mode: '  ' }, 'dontAsk', 'dontAsk', 'session'],
    [{ mode: 3 }, 'dontAsk', 'dontAsk', 'session'],
    [{}, ' anything ', 'plan', 'session'],
    [{ mode: 'yolo' }, 'acceptEdits', 'plan', 'opts'],
    [{}, ' PLAN ', 'plan', 'session'],
    [{}, 'dontask', 'dontAsk', 'session'],
    [{}, '', 'direct', 'default'],
  ])('takes the mode of %j over a session in %j', (opts, mode, expected, from) => {
    const resolved = resolve({ opts, session: { persona: 'P', mode } });
    expect(resolved.options.mode).toBe(expected);
    expect(resolved.provenance.mode).toBe(from);
  });

  it.each([
    [{ onDisconnect: 'continue' }, 'continue', 'opts'],
    [{ onDisconnect: 'cancel' }, 'cancel', 'opts'],
    [{ onDisconnect: 'Continue' }, 'cancel', 'default'],
    [{ onDisconnect: true }, 'cancel', 'default'],
  ])('takes onDisconnect from %j', (opts, expected, from) => {
    const resolved = resolve({ opts });
    expect(resolved.options.onDisconnect).toBe(expected);
    expect(resolved.provenance.onDisconnect).toBe(from);
  });

  it.each([[null], [false], ['x'], [[1]], [{ a: { b: 1 } }]])(
    'passes subagentGovernance %j on untouched',
    (value) => {
      const resolved = resolve({ opts: { subagentGovernance: value } });
      expect(resolved.options.subagentGovernance).toEqual(value);
      expect(resolved.problems).toEqual([]);
    },
  );

  it('reports what it ignored, sorted by key, with what applies instead', () => {
    const opts = { zeta: 1, tools: 'read', permissionMode: 'x', maxTurns: 0, model: 'm' };
    expect(resolve({ opts, persona: personaWith('tools: [grep]') }).problems).toEqual([
      {
        kind: 'invalid',
        key: 'maxTurns',
        expected: 'an integer greater than 0',
        using: 12,
        from: 'default',
      },
      { kind: 'unknown', key: 'permissionMode' },
      {
        kind: 'invalid',
        key: 'tools',
        expected: 'an array of strings',
        using: ['grep'],
        from: 'persona',
      },
      { kind: 'unknown', key: 'zeta' },
    ]);
  });

  it.each([[[]], ['text'], [3], [true], [null]])('gives all defaults for opts %j', (opts) => {
    const resolved = resolve({ opts });
    expect(resolved.options).toEqual(finalDefaults);
    expect(resolved.problems).toEqual([{ kind: 'not-an-object' }]);
  });

  it.each<[string, object, object]>([
    ['model', { model: 'a\0b' }, { model: finalDefaults.model }],
    ['model', { model: 'a'.repeat(201) }, { model: finalDefaults.model }],
    ['mode', { mode: 'a\0b' }, { mode: 'direct' }],
    ['mode', { mode: '\ud800' }, { mode: 'direct' }],
    ['mode', { mode: 'a'.repeat(201) }, { mode: 'direct' }],
    ['tools', { tools: ['read', 'a\0b'] }, { tools: finalDefaults.tools }],
    ['tools', { tools: ['\udc00'] }, { tools: finalDefaults.tools }],
  ])('takes no %s that cannot be stored, or is too long: %j', (key, opts, used) => {
    const resolved = resolve({ opts });
    expect(resolved.options).toMatchObject(used);
    expect(resolved.problems).toMatchObject([{ kind: 'invalid', key }]);
  });

  it('makes storable what it keeps as it came', () => {
    const opts = {
      subagentGovernance: { approvalRef: 'a\0' },
      'x\0': 1,
      agentConfig: { '\ud800': 1 },
    };
    const resolved = resolve({ opts });
    expect(resolved.options.subagentGovernance).toEqual({ approvalRef: 'a\uFFFD' });
    expect(resolved.problems).toEqual([
      { kind: 'unknown', key: 'agentConfig.\uFFFD' },
      { kind: 'unknown', key: 'x\uFFFD' },
    ]);
  });

  it('names at most 20 unknown keys, each in short, and counts the others', () => {
    const keys = Array.from({ length: 30 }, (_, n) => `${n}`.padStart(100, 'k'));
    const opts = Object.fromEntries([...keys, 'maxTurns'].map((key) => [key, 0]));
    const { problems } = resolve({ opts });
    const named = problems.flatMap((problem) => (problem.kind === 'unknown' ? [problem.key] : []));
    expect(named.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => 64));
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'invalid', key: 'maxTurns' }));
    expect(problems.at(-1)).toEqual({ kind: 'more-unknown', count: 10 });
  });

  it('takes keys of the prototype for unknown ones', () => {
    const opts: unknown = JSON.parse('{"__proto__": {"model": "x"}, "constructor": 1}');
    const resolved = resolve({ opts });
    expect(resolved.options).toEqual(finalDefaults);
    expect(resolved.problems.map((problem) => problem.kind)).toEqual(['unknown', 'unknown']);
  });

  it('gives the same for the same, 100 times, whatever the order of keys', () => {
    const opts = { b: 1, maxTurns: 0, tools: ['x', 'y'], a: 2, mode: ' ' };
    const reversed = Object.fromEntries(Object.entries(opts).reverse());
    const sources = { persona: personaWith('max_turns: 4'), defaults: { agentsModel: 'm' } };
    const results = Array.from({ length: 100 }, (_, run) =>
      canonicalJson(resolve({ ...sources, opts: run % 2 === 0 ? opts : reversed })),
    );
    expect(new Set(results).size).toBe(1);
  });

  it('shares no array with its sources', () => {
    const tools = ['read'];
    const persona = personaWith('tools: [read]');
    resolve({ opts: { tools } }).options.tools.push('bash');
    resolve({ persona }).options.tools.push('bash');
    resolve({}).options.tools.push('grep');
    expect(tools).toEqual(['read']);
    expect(persona.tools).toEqual(['read']);
    expect(resolve({}).options.tools).toEqual(finalDefaults.tools);
  });
});

describe('the model of a turn', () => {
  const price = { input: 3, output: 15 };
  const deprecated = { kind: 'model-deprecated' as const, text: 'Soon gone.', metadata: {} };

  it('is what its name came to, with what is to be said of it', () => {
    const model = { name: 'claude-y', price, notices: [deprecated] };
    const { options, provenance, modelNotices, problems } = resolve({
      opts: { model: 'claude-x', maxCostUsd: 2 },
      model,
    });
    expect([options.model, provenance.model]).toEqual(['claude-y', 'opts']);
    expect(options.costLimit).toEqual({ usd: 2, price });
    expect([modelNotices, problems]).toEqual([[deprecated], []]);
  });

  it('is refused with a limit of cost where nobody knows its price', () => {
    const asked = { opts: { maxCostUsd: 2 }, model: { name: 'claude-y', notices: [] } };
    expect(() => resolve(asked)).toThrow(
      'The price of claude-y is not known, so opts.maxCostUsd cannot hold. Name it in TURNPIKE_MODELS or TURNPIKE_PRICES, or send no opts.maxCostUsd.',
    );
  });

  it('is refused with tools where it calls none', () => {
    const model = { name: 'tiny', notices: [], callsTools: false };
    expect(() => resolve({ opts: { tools: ['read'] }, model })).toThrow(
      'The model tiny calls no tools. Choose another one, or send opts.tools: [].',
    );
    expect(resolve({ opts: { tools: [] }, model }).options.tools).toEqual([]);
  });
});
