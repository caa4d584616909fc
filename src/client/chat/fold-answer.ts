import type { HarnessFrames } from '../server-types.js';
import type { HarnessEvent } from '../turn/follow-turn.js';
import {
  idOf,
  viewNotice,
  type ChatCall,
  type ChatMessage,
  type ChatPart,
} from './chat-message.js';

/** A fold for each frame that changes the answer. Other frames, and those of a newer server, have none. */
type Folds = {
  [Name in keyof HarnessFrames]?: (answer: ChatMessage, data: HarnessFrames[Name]) => ChatMessage;
};

/** The answer of a turn before its first event. */
export function emptyAnswer(turnId: string): ChatMessage {
  return { id: idOf(turnId, 'assistant'), turnId, role: 'assistant', state: 'queued', parts: [] };
}

/** The answer after one more event of its turn. An unknown event changes nothing: a newer server may send more. Pure. */
export function foldAnswer(answer: ChatMessage, { event, data }: HarnessEvent): ChatMessage {
  const name = event.replace(/^(subagent:)+(?!start$|end$)/, '');
  const fold = Object.hasOwn(folds, name) ? folds[name as keyof HarnessFrames] : undefined;
  if (fold === undefined) return answer;
  const folded = (fold as (answer: ChatMessage, data: unknown) => ChatMessage)(answer, data);
  if (name === event || name === 'approval:request') return folded;
  // Of a subagent, the page has the questions, since its person answers them, and what became of these calls.
  const { toolUseId } = data as { toolUseId?: string };
  const isShown = answer.parts.some((part) => part.type === 'tool' && part.callId === toolUseId);
  return isShown ? folded : answer;
}

const run = (answer: ChatMessage): ChatMessage => ({ ...answer, state: 'running' });

const folds: Folds = {
  'session:init': run,
  'step:start': run,
  'turn:recovering': (answer) => ({ ...answer, state: 'recovering' }),
  'turn:parked': (answer) => ({ ...answer, state: 'waiting' }),
  'chat:delta': (answer, data) => addText(answer, 'text', data),
  'thinking:delta': (answer, data) => addText(answer, 'thinking', data),
  // A worker died: the step runs again, and what it had said is void.
  'step:discard': (answer, { step }) => ({
    ...answer,
    parts: answer.parts.filter((part) => stepOf(part) !== step),
  }),
  'step:end': (answer) => ({ ...answer, parts: answer.parts.map(closeInput) }),
  'message:joined': (answer, { text }) => addPart(answer, { type: 'steered', text }),
  'system:notice': (answer, data) => addPart(answer, viewNotice(data)),
  'attachment:warning': (answer, { name, reason }) =>
    addPart(answer, viewNotice({ kind: 'attachment-rejected', text: `${name}: ${reason}` })),
  'tool:request': (answer, data) =>
    withCall(answer, data, (call) => ({ ...call, step: data.step, json: '' })),
  'tool:args': (answer, data) =>
    withCall(answer, data, (call) => ({ ...call, json: (call.json ?? '') + data.json })),
  'tool:start': (answer, data) =>
    withCall(answer, data, ({ json: _whole, ...call }) => ({
      ...call,
      input: data.input,
      status: 'running',
    })),
  'tool:progress': (answer, data) =>
    withCall(answer, data, (call) => ({ ...call, progress: data.note })),
  'tool:result': (answer, data) =>
    withCall(answer, data, ({ progress: _over, approval: _closed, ...call }) => ({
      ...call,
      status: data.status,
      output: data.output,
    })),
  'approval:request': (answer, data) => withCall(answer, data, (call) => ask(call, data)),
  'approval:resolve': (answer, data) =>
    resume(withCall(answer, data, (call) => settle(call, data))),
  'turn:error': (answer, error) => ({ ...answer, error }),
  'turn:end': (answer, end) => ({
    ...answer,
    end,
    state: end.outcome === 'completed' ? 'complete' : 'cut',
  }),
};

function addPart(answer: ChatMessage, part: ChatPart): ChatMessage {
  return { ...answer, parts: [...answer.parts, part] };
}

function ask(
  { json: _whole, ...call }: ChatCall,
  { toolUseId: _call, name: _name, input, ...approval }: HarnessFrames['approval:request'],
): ChatCall {
  return { ...call, input, status: 'waiting', approval };
}

function settle(
  { approval, ...call }: ChatCall,
  { approvalId, input = call.input }: HarnessFrames['approval:resolve'],
): ChatCall {
  const isOther = approval !== undefined && approval.approvalId !== approvalId;
  return isOther ? { ...call, approval } : { ...call, status: 'requested', input };
}

/** An answer goes on once nobody has to be waited for. */
function resume(answer: ChatMessage): ChatMessage {
  const waits = answer.parts.some((part) => part.type === 'tool' && part.approval !== undefined);
  return waits ? answer : { ...answer, state: 'running' };
}

function addText(
  answer: ChatMessage,
  type: 'text' | 'thinking',
  { text, step }: { text: string; step: number },
): ChatMessage {
  const last = answer.parts.at(-1);
  const goesOn = last?.type === type && last.step === step;
  const before = goesOn ? answer.parts.slice(0, -1) : answer.parts;
  const said = goesOn ? last.text + text : text;
  return { ...answer, state: 'running', parts: [...before, { type, text: said, step }] };
}

/** Changes a call of the answer, or adds it. */
function withCall(
  answer: ChatMessage,
  { toolUseId: callId, name }: { toolUseId: string; name?: string },
  change: (call: ChatCall) => ChatCall,
): ChatMessage {
  const known = answer.parts.some((part) => part.type === 'tool' && part.callId === callId);
  const fresh: ChatCall = {
    type: 'tool',
    callId,
    name: name ?? '',
    input: undefined,
    status: 'requested',
    output: null,
  };
  const parts = known ? answer.parts : [...answer.parts, fresh];
  return {
    ...answer,
    parts: parts.map((part) =>
      part.type === 'tool' && part.callId === callId ? change(part) : part,
    ),
  };
}

/** The input of a call that its step wrote to the end. One that was cut off is no JSON. */
function closeInput(part: ChatPart): ChatPart {
  if (part.type !== 'tool' || part.json === undefined || part.input !== undefined) return part;
  const { json, ...call } = part;
  try {
    return { ...call, input: JSON.parse(json === '' ? '{}' : json) as unknown };
  } catch {
    return part;
  }
}

function stepOf(part: ChatPart): number | undefined {
  return part.type === 'file' ? undefined : part.step;
}
