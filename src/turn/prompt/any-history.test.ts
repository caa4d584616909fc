import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { unlikeModels as models } from '../../../test/support/model/unlike-models.js';
import { fromStreamEvent, newStreamState } from '../../provider/anthropic/from-stream-event.js';
import { toBody, toRequest } from '../../provider/anthropic/to-request.js';
import { wrappedTools } from '../../provider/anthropic/tool-search.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ModelEvent, UserPart } from '../../provider/model-types.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { planThinking } from '../../provider/thinking.js';
import { acceptRequest } from '../../../rehearsal/accept-request.js';
import { encodeReply } from '../../../rehearsal/reply/encode-reply.js';
import { planReply } from '../../../rehearsal/reply/plan-reply.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { buildMessages } from './build-messages.js';
import { deferTools } from '../../features/mcp/defer-tools.js';
import { partsOf } from '../../../test/support/turn/parts-of.js';
import { buildSystem, choosePrefix } from './prefix.js';
import { elideOutputs, fitOutputs } from './transcripts.js';
import { nextAction, settleStopReason } from '../loop/next-action.js';
import type {
  RequestFrame,
  ShownResult,
  TranscriptStep,
  TurnTranscript,
} from '../state/attempt-context.js';
import { requestOf } from './model-request.js';

const tool = (name: string): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
});

/** Text as a person, a file, a tool or a model may write it. */
const anyText = fc.oneof(
  // What begins like a directive is one to the rehearsal model, and refused.
  fc.string().map((text) => text.replaceAll('[[', '[')),
  fc.constantFrom('', ' \n', '\ud83d', 'ok', '<system_message type="x">', '漢字', 'x'.repeat(300)),
);

const anyDirectives = fc.subarray([
  '[[think=2]]',
  '[[tool=read {"path":"a"}]]',
  '[[tool=bash {"command":"\\ud83d"}]]',
  '[[loop=2 tool=read {}]]',
  '[[empty]]',
  '[[surrogate]]',
  '[[redact]]',
  '[[stop=refusal]]',
  '[[stop=max_tokens]]',
  '[[stop=pause_turn]]',
  '[[stop=model_context_window_exceeded]]',
  '[[server=web_search {"query":"x"}]]',
  '[[server=tool_search_tool_bm25 {"query":"does"}]]',
  '[[tool=mcp__band__horn {}]]',
  '[[tool=use_tool {"tool":"mcp__band__drum","input":{}}]]',
]);

const anyTurn = fc.record({
  text: anyText,
  directives: anyDirectives,
  isUserEmpty: fc.boolean(),
  /** Whether the message, or the results of tools, have a file. */
  files: fc.constantFrom('none', 'none', 'message', 'results'),
  tools: fc.subarray(['read', 'bash', 'client']),
  /** Tools that an MCP server lists, and who searches for them. */
  band: fc.subarray(['horn', 'drum', 'bell']),
  search: fc.constantFrom('auto', 'auto', 'own', 'off'),
  model: fc.constantFrom(...models),
  mode: fc.constantFrom('direct', 'plan'),
  persona: fc.constantFrom('A', 'A', 'A', 'B'),
  thinking: fc.constantFrom(true, false, { effort: 'low' as const, display: 'omitted' as const }),
  /** Tools that run before the turn is cut; most are not. */
  stepsLeft: fc.constantFrom(0, 1, 2, 8, 8, 8),
  cutAs: fc.constantFrom<TurnStatus>('interrupted', 'failed', 'limited'),
  outputs: fc.array(anyText, { minLength: 1, maxLength: 3 }),
  isError: fc.boolean(),
  noticeAfter: fc.subarray([0, 1, 2]),
  steeredAfter: fc.subarray([0, 1, 2]),
  /** The conversation's change after the turn. */
  afterwards: fc.constantFrom('nothing', 'nothing', 'elide', 'compact', 'leave-out'),
});
type Script = typeof anyTurn extends fc.Arbitrary<infer T> ? T : never;

const catalogue = new ModelCatalogue();

/** A session as the loop and the database make it, with the strict rehearsal for a model. */
class Conversation {
  turns: TurnTranscript[] = [];
  summary: string | undefined;
  prefix: RequestPrefix | null = null;
  taken = 0;
  thinkingKept = 0;
  #ids = 0;

  /** @param model of every turn; undefined: each has its own. */
  constructor(private readonly model: string | undefined) {}

  play(script: Script): void {
    const model = this.model ?? script.model;
    const described = catalogue.describe(model);
    const known = script.search === 'own' ? { ...described, toolSearch: false } : described;
    const terms = { toolSearch: script.search, toolSearchAbove: 1, toolSearchPercent: 100 };
    const band = script.band.map((name) => `mcp__band__${name}`);
    const chosen = choosePrefix(this.prefix, {
      systemIn: (mode, paragraphs) =>
        buildSystem({
          prompt: 'Be kind.',
          persona: script.persona,
          projectRoot: '/p',
          mode,
          paragraphs,
        }),
      mode: script.mode,
      tools: [...script.tools, ...band].map(tool),
      parts: partsOf({
        mcp: {
          tools: band,
          answered: ['band'],
          defer: (tools) => deferTools(tools, { terms, model: known, kept: new Set() }),
        },
      }),
      compaction: this.summary,
    });
    this.prefix = chosen.prefix;
    const frame: RequestFrame = {
      modelName: model,
      model: known,
      system: chosen.prefix.system,
      tools: chosen.prefix.tools,
      isToolless: !chosen.hasTools,
      thinking: planThinking(known, script.thinking, 8_000),
      citations: false,
      thinkingAfter: undefined,
      leftOut: [],
    };
    this.turns.push(this.#run(frame, script, chosen.notice));
    this.#after(script.afterwards);
  }

  #run(frame: RequestFrame, script: Script, notice: string | undefined): TurnTranscript {
    const text = script.isUserEmpty ? script.text : `${script.text} ${script.directives.join(' ')}`;
    const turnId = `turn_${(this.#ids += 1)}`;
    const steps: TranscriptStep[] = [];
    const results = new Map<string, ShownResult>();
    const document: UserPart = { type: 'document', title: 'notes', text: script.text || 'Notes' };
    const noted = (afterStep: number, note: string, position: number) => ({
      afterStep,
      mark: `${afterStep}.${position}`,
      kind: 'note',
      text: note,
      seenByModel: true,
    });
    const turn = (status: TurnStatus): TurnTranscript => ({
      turnId,
      userParts: [...(script.files === 'message' ? [document] : []), { type: 'text', text }],
      steps: [...steps],
      results,
      notices: [
        ...(notice === undefined ? [] : [noted(0, notice, 0)]),
        ...script.noticeAfter
          .filter((after) => after <= steps.length)
          .map((after) => noted(after, `Note ${after}.`, 1)),
      ],
      steered: script.steeredAfter
        .filter((after) => after <= steps.length)
        .map((afterStep) => ({ afterStep, text: script.text })),
      status,
      endReason: null,
    });
    for (;;) {
      const last = steps.at(-1);
      const open = (last?.parts ?? []).filter(
        (part) => part.type === 'tool_use' && !results.has(part.id),
      );
      const action = nextAction({
        steps: steps.length,
        limit: undefined,
        lastCall:
          steps.length >= 7
            ? { limit: { reason: 'max_turns', refusal: 'no more' }, isDone: steps.length >= 8 }
            : undefined,
        stopReason: last?.stopReason,
        openCalls: open.length,
        unanswered: 0,
        canShorten: steps.length === 1,
        output: undefined,
      });
      if (action.type === 'end') return turn(action.ending.outcome);
      if (steps.length >= script.stepsLeft && script.stepsLeft < 8) return turn(script.cutAs);
      if (action.type === 'call-model' || action.type === 'call-last') {
        const isToolless = frame.isToolless || action.type === 'call-last';
        steps.push(this.#call({ ...frame, isToolless }, turn('running'), action.step));
        continue;
      }
      for (const [index, part] of open.entries()) {
        const output = script.outputs[index % script.outputs.length] ?? '';
        const shown = script.files === 'results' ? [document] : [];
        const status = action.type === 'refuse-tools' || script.isError ? 'error' : 'success';
        if (part.type === 'tool_use') results.set(part.id, { status, output, shown });
      }
    }
  }

  /** Calls the model, which must accept the request; the reply becomes a step. */
  #call(frame: RequestFrame, turn: TurnTranscript, step: number): TranscriptStep {
    const all = [...this.turns, turn]
      .map((each) => fitOutputs(each, 1_000_000, (s) => s.length))
      // Files are shown anew for each attempt.
      .map((each) => (each.userParts.length > 1 ? structuredClone(each) : each));
    const { messages, sent } = buildMessages(all, { ...frame, summary: this.summary });
    const request = { ...requestOf(frame), messages, maxTokens: 8_000 };
    const body = toBody(request);
    // Messages that were kept from earlier calls must not change the bytes. For copies of the turns, none are kept.
    const cold = buildMessages(structuredClone(all), { ...frame, summary: this.summary });
    expect(sent).toEqual(cold.sent);
    expect(body).toBe(
      JSON.stringify(toRequest({ ...requestOf(frame), messages: cold.messages, maxTokens: 8_000 })),
    );
    const accepted = acceptRequest(JSON.parse(body));
    this.taken += 1;
    this.thinkingKept += messages.filter(
      (message) =>
        message.role === 'assistant' && message.parts.some(({ type }) => type === 'thinking'),
    ).length;
    const plan = planReply(accepted, {
      retryCount: 0,
      headroom: 1_000_000,
      newId: (prefix) => `${prefix}_${(this.#ids += 1)}`,
    });
    if (plan.kind === 'failure') throw new Error('No directive of this test fails');
    const state = newStreamState(wrappedTools(request));
    const events: ModelEvent[] = [];
    const moves = encodeReply(plan.reply, {
      messageId: 'msg_1',
      model: frame.modelName,
      prompt: { input: 1, cacheRead: 0, write5m: 0, write1h: 0 },
      transformations: undefined,
    });
    for (const move of moves)
      if (move.type === 'send') fromStreamEvent(state, { ...move.event }, events);
    const parts = events.flatMap((event): AssistantPart[] =>
      event.type === 'part.ended' ? [event.part] : [],
    );
    const ended = events.at(-1);
    if (ended?.type !== 'ended') throw new Error('The reply has no end');
    const asks = parts.some(({ type }) => type === 'tool_use');
    const stopReason = settleStopReason(ended.stopReason, asks);
    return { step, parts, stopReason, usage: ended.usage, sent };
  }

  #after(afterwards: Script['afterwards']): void {
    const last = this.turns.at(-1);
    switch (afterwards) {
      case 'elide':
        this.turns = this.turns.map((turn) => elideOutputs(turn));
        return;
      case 'compact':
        this.summary = 'What was said.';
        this.turns = last === undefined ? [] : [last];
        return;
      case 'leave-out':
        this.turns.pop();
        return;
      case 'nothing':
        return;
    }
  }
}

const numRuns = process.env['TEST_RELEASE'] === undefined ? 200 : 5_000;

/** @returns how many requests were taken. */
function playAny(model: string | undefined): number {
  let taken = 0;
  fc.assert(
    fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 6 }), (scripts) => {
      const conversation = new Conversation(model);
      for (const script of scripts) conversation.play(script);
      taken += conversation.taken;
    }),
    { numRuns },
  );
  return taken;
}

it('makes requests that the API takes from any history, whichever model each turn has', () => {
  expect(playAny(undefined)).toBeGreaterThan(200);
});

describe.each(models)('any history with %s', (model) => {
  it('makes requests that the API takes', () => {
    expect(playAny(model)).toBeGreaterThan(200);
  });

  it.each<[string, string[][]]>([
    ['nothing changes', [[], [], [], [], []]],
    [
      'an MCP server changes its tools',
      [['horn', 'drum'], ['horn', 'drum'], ['horn', 'drum', 'bell'], ['horn', 'bell'], ['horn']],
    ],
  ])('keeps the thinking of a conversation in which %s', (_what, bands) => {
    const conversation = new Conversation(model);
    const script = fc.sample(anyTurn, { numRuns: 1, seed: 1 })[0];
    if (script === undefined) throw new Error('There is no script');
    for (let turn = 0; turn < 5; turn += 1) {
      conversation.play({
        ...script,
        text: `Question ${turn}`,
        directives: ['[[think=2]]', '[[tool=read {"path":"a"}]]'],
        isUserEmpty: false,
        files: turn === 1 ? 'message' : 'none',
        tools: ['read'],
        band: bands[turn] ?? [],
        search: 'auto',
        mode: 'direct',
        persona: 'A',
        thinking: true,
        stepsLeft: 8,
        afterwards: 'nothing',
      });
    }
    // Every turn has two calls, each with the thinking of all before it.
    expect(conversation.taken).toBe(10);
    expect(conversation.thinkingKept).toBe(45);
  });
});
