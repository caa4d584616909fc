import { describe, expect, it } from '@jest/globals';
import type { UIMessage, UIMessageChunk } from 'ai';
import * as fc from 'fast-check';
import { recordedTurns } from '../../../test/golden/golden.js';
import { readUiMessage } from '../../../test/support/clients/read-ui-message.js';
import { anyTurn, clientTool, type AnyTurn } from '../../../test/support/turn/any-turn.js';
import { someOptions } from '../../../test/support/turn/store-turn.js';
import { parseCursor } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { TurnEncoder } from '../framing/turn-encoder.js';
import { awaitedApprovals } from '../conversation/questions.js';
import type { AiSdkRange } from './dialect/ai-sdk.js';
import { turnWire, type StreamedTurn, foldAnswers, isShownWhole } from './view-turn.js';

const clientTools = [{ name: clientTool, description: '', inputSchema: {} }];
const options = { ...someOptions, options: { ...someOptions.options, clientTools } };
const turn: StreamedTurn = { id: 'turn_1', sessionId: 'sess_1', options };

const numRuns = process.env['TEST_RELEASE'] === undefined ? 40 : 2_000;

type Range = Omit<AiSdkRange, 'clientTools'>;

/** Chunks of a stream that breaks after every `pieces` frames, and is gone on with each time. */
function stream(events: readonly TurnEvent[], range: Range, pieces: number): UIMessageChunk[] {
  const received: { id: string; data: string }[] = [];
  for (;;) {
    const last = received.at(-1);
    const after = last && parseCursor(turn.id, last.id);
    const encoder = new TurnEncoder(turnWire(turn, range), turn.id, after);
    const frames = events.flatMap((event) => encoder.encode(event)).slice(0, pieces);
    if (frames.length === 0) break;
    received.push(...frames);
  }
  return received
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as UIMessageChunk);
}

/** The message of a client that lives through all pauses, and answers what it is asked. */
async function readLive({ events, asked }: AnyTurn): Promise<UIMessage | undefined> {
  let message: UIMessage | undefined;
  let range: Range = { answered: [], from: 'turn' };
  for (let stops = 0; stops <= asked.length; stops += 1) {
    message = await readUiMessage(stream(events, range, 1_000), message);
    const { waitsFor = [] } = (message?.metadata ?? {}) as { waitsFor?: string[] };
    if (waitsFor.length === 0) break;
    answerCalls(message);
    range = { answered: waitsFor, from: 'answers' };
  }
  return message;
}

function answerCalls(message: UIMessage | undefined): void {
  for (const part of message?.parts ?? []) {
    if (part.type !== `tool-${clientTool}` || !('toolCallId' in part)) continue;
    if (part.state !== 'input-available') continue;
    Object.assign(part, { state: 'output-available', output: `out ${part.toolCallId}` });
  }
}

const asJson = (message: UIMessage | undefined): unknown =>
  message && JSON.parse(JSON.stringify(message));

const fold = ({ events, asked, steered }: AnyTurn) =>
  foldAnswers(turn, events, { steered, answered: asked });

describe('the history of recorded turns', () => {
  it.each(recordedTurns())('is what a client makes of the stream of %s', async (_name, events) => {
    const answered = events.flatMap(awaitedApprovals);
    const chunks = stream(events, { answered, from: 'turn' }, 1_000);
    const [whole] = await foldAnswers(turn, events, { steered: [], answered });
    expect(whole?.parts).not.toHaveLength(0);
    expect(asJson(whole)).toEqual(asJson(await readUiMessage(chunks)));
  });
});

describe('the history of any turn', () => {
  it('is what a client makes of its stream from the start, however often that breaks', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, fc.integer({ min: 1, max: 30 }), async (any, pieces) => {
        const answered = any.asked;
        const chunks = stream(any.events, { answered, from: 'turn' }, pieces);
        const [whole] = await fold({ ...any, steered: [] });
        expect(asJson(whole)).toEqual(asJson(await readUiMessage(chunks)));
      }),
      { numRuns },
    );
  });

  it('is what a client has that answered at each pause', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, async (any) => {
        const [whole] = await fold({ ...any, steered: [] });
        expect(asJson(whole)).toEqual(asJson(await readLive(any)));
      }),
      { numRuns },
    );
  });

  it('ends with the message that a resumed stream of a steered turn makes', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, async (any) => {
        const last = any.steered.at(-1);
        fc.pre(last !== undefined);
        const range = { answered: any.asked, from: { steered: last ?? '', asks: [] } };
        const answers = await fold(any);
        expect(answers).toHaveLength(any.steered.length + 1);
        expect(new Set(answers.map((answer) => answer?.id)).size).toBe(answers.length);
        const resumed = await readUiMessage(stream(any.events, range, 1_000));
        expect(asJson(answers.at(-1))).toEqual(asJson(resumed));
      }),
      { numRuns },
    );
  });

  it('says everything once, in the order of the messages', async () => {
    const textOf = (message: UIMessage | undefined): string =>
      message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
    await fc.assert(
      fc.asyncProperty(anyTurn, async (any) => {
        const [whole] = await fold({ ...any, steered: [] });
        expect((await fold(any)).map(textOf).join('')).toBe(textOf(whole));
      }),
      { numRuns },
    );
  });
});

type Part = UIMessage['parts'][number];

const asks: Part = {
  type: 'dynamic-tool',
  toolName: 'write',
  toolCallId: 'call_1',
  state: 'approval-requested',
  input: {},
  approval: { id: 'appr_1' },
};
const runsInPage: Part = {
  type: 'tool-pick',
  toolCallId: 'call_2',
  state: 'input-available',
  input: {},
};
const said: UIMessage = { id: 'u', role: 'user', parts: [], metadata: { turnId: 'turn_1' } };

const answer = (waitsFor: readonly string[], parts: Part[], turnId = 'turn_1'): UIMessage => ({
  id: `msg_${turnId}`,
  role: 'assistant',
  parts,
  metadata: { turnId, waitsFor },
});

describe('isShownWhole', () => {
  it.each<[string, UIMessage[], boolean]>([
    ['an answer that waits for an approval', [said, answer(['appr_1'], [asks])], true],
    ['one that waits, behind what was said next', [answer(['appr_1'], [asks]), said], true],
    ['one that waits for the page too', [answer(['appr_1', 'appr_2'], [asks, runsInPage])], false],
    ['one that goes on', [said, answer([], [asks])], false],
    ['one of another turn', [answer(['appr_1'], [asks], 'turn_0'), said], false],
    ['a turn that has no answer yet', [said], false],
    ['no messages', [], false],
  ])('of %s', (_what, messages, isWhole) => {
    expect(isShownWhole(messages, 'turn_1')).toBe(isWhole);
  });
});
