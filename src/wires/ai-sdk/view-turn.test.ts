import { describe, expect, it } from '@jest/globals';
import type { UIMessage, UIMessageChunk } from 'ai';
import * as fc from 'fast-check';
import { recordedTurns } from '../../../test/golden/golden.js';
import { readUiMessage } from '../../../test/support/clients/read-ui-message.js';
import { anyTurn, clientTool, type AnyTurn } from '../../../test/support/turn/any-turn.js';
import { someOptions } from '../../../test/support/turn/store-turn.js';
import { parseCursor } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { TurnEncoder } from '../framing/turn-encoder.js';
import { awaitedApprovals } from '../chat/questions.js';
import type { AiSdkRange } from './dialect/ai-sdk.js';
import { aiSdkVersions, splitCursor, type AiSdkVersion } from './dialect/ai-sdk-version.js';
import {
  turnWire,
  type StreamedTurn,
  findUnended,
  foldAnswers,
  isShownWhole,
} from './view-turn.js';

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
    const after = last && parseCursor(turn.id, splitCursor(last.id).cursor);
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
async function readLive(
  version: AiSdkVersion,
  { events, asked }: AnyTurn,
): Promise<UIMessage | undefined> {
  let message: UIMessage | undefined;
  let range: Range = { answered: [], from: 'turn', version };
  for (let stops = 0; stops <= asked.length; stops += 1) {
    message = await readUiMessage(version, stream(events, range, 1_000), message);
    const { waitsFor = [] } = (message?.metadata ?? {}) as { waitsFor?: string[] };
    if (waitsFor.length === 0) break;
    answerCalls(version, message, events);
    range = { answered: waitsFor, from: 'answers', version };
  }
  return message;
}

/** Answers as the log has it. The history of version 6 does not say what a person answered, as its stream does not. */
function answerCalls(
  version: AiSdkVersion,
  message: UIMessage | undefined,
  events: readonly TurnEvent[],
): void {
  for (const part of message?.parts ?? []) {
    if (!('toolCallId' in part)) continue;
    if (part.type === `tool-${clientTool}` && part.state === 'input-available') {
      Object.assign(part, { state: 'output-available', output: `out ${part.toolCallId}` });
    } else if (part.state === 'approval-requested' && version !== '6') {
      const { approval } = part;
      const approved = events.some(
        (event) =>
          event.type === 'approval.resolved' &&
          event.approvalId === approval.id &&
          event.decision === 'approve',
      );
      Object.assign(part, { state: 'approval-responded', approval: { ...approval, approved } });
    }
  }
}

const asJson = (message: UIMessage | undefined): unknown =>
  message && JSON.parse(JSON.stringify(message));

describe.each(aiSdkVersions)('the history of recorded turns, of version %s,', (version) => {
  it.each(recordedTurns())('is what a client makes of the stream of %s', async (_name, events) => {
    const answered = events.flatMap(awaitedApprovals);
    const chunks = stream(events, { answered, from: 'turn', version }, 1_000);
    const [whole] = await foldAnswers(turn, events, { steered: [], answered, version });
    expect(whole?.parts).not.toHaveLength(0);
    expect(asJson(whole)).toEqual(asJson(await readUiMessage(version, chunks)));
  });
});

describe.each(aiSdkVersions)('the history of any turn, of version %s,', (version) => {
  const fold = ({ events, asked, steered }: AnyTurn) =>
    foldAnswers(turn, events, { steered, answered: asked, version });

  it('is what a client makes of its stream from the start, however often that breaks', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, fc.integer({ min: 1, max: 30 }), async (any, pieces) => {
        const answered = any.asked;
        const chunks = stream(any.events, { answered, from: 'turn', version }, pieces);
        const [whole] = await fold({ ...any, steered: [] });
        expect(asJson(whole)).toEqual(asJson(await readUiMessage(version, chunks)));
      }),
      { numRuns },
    );
  });

  it('is what a client has that answered at each pause', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, async (any) => {
        const [whole] = await fold({ ...any, steered: [] });
        expect(asJson(whole)).toEqual(asJson(await readLive(version, any)));
      }),
      { numRuns },
    );
  });

  it('ends with the message that a resumed stream of a steered turn makes', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn, async (any) => {
        const last = any.steered.at(-1);
        fc.pre(last !== undefined);
        const range = { answered: any.asked, from: { steered: last ?? '', asks: [] }, version };
        const answers = await fold(any);
        expect(answers).toHaveLength(any.steered.length + 1);
        expect(new Set(answers.map((answer) => answer?.id)).size).toBe(answers.length);
        const resumed = await readUiMessage(version, stream(any.events, range, 1_000));
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

describe('findUnended', () => {
  const [[, events] = ['', []]] = recordedTurns();
  const half = events.slice(0, -1);
  const one = (id: string, status: TurnStatus, read: readonly TurnEvent[], endedAt?: Date) => ({
    stored: { turn: { id, status, endedAt: endedAt ?? null } },
    events: read,
  });
  const over = one('over', 'completed', events, new Date(0));

  it.each([
    ['no turn of a page whose turns have ended', [over], undefined],
    [
      'a turn that was read in part, also where it ended since',
      [over, one('a', 'running', half)],
      'a',
    ],
    ['no turn that was read to its end', [over, one('a', 'running', events)], undefined],
    ['the active one before a held one', [one('b', 'held', []), one('a', 'queued', [])], 'a'],
    [
      'the held one after one that was read to its end',
      [one('a', 'running', events), one('b', 'held', [])],
      'b',
    ],
  ])('is %s', (_what, turns, id) => {
    expect(findUnended(turns)).toBe(id);
  });
});
