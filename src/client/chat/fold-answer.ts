import type { HarnessFrames } from '../server-types.js';
import type { HarnessEvent } from '../turn/follow-turn.js';
import {
  idOf,
  viewNotice,
  type ChatCall,
  type ChatMessage,
  type ChatPart,
} from './chat-message.js';

/** An event of a turn itself. */
type OwnEvent = {
  [Name in keyof HarnessFrames]: { event: Name; data: HarnessFrames[Name] };
}[keyof HarnessFrames];

/** The answer of a turn before its first event. */
export function emptyAnswer(turnId: string): ChatMessage {
  return { id: idOf(turnId, 'assistant'), turnId, role: 'assistant', state: 'queued', parts: [] };
}

/** The answer after one more event of its turn. An unknown event changes nothing: a newer server may send more. Pure. */
export function foldAnswer(answer: ChatMessage, event: HarnessEvent): ChatMessage {
  const name = event.event.replace(/^(subagent:)+(?!start$|end$)/, '');
  const own = { event: name, data: event.data } as OwnEvent;
  if (name === event.event) return foldOwn(answer, own);
  // Of a subagent, the page has the questions, since its person answers them, and what became of these calls.
  const { toolUseId } = event.data as { toolUseId?: string };
  const isShown = answer.parts.some((part) => part.type === 'tool' && part.callId === toolUseId);
  return isShown || name === 'approval:request' ? foldOwn(answer, own) : answer;
}

function foldOwn(answer: ChatMessage, { event, data }: OwnEvent): ChatMessage {
  switch (event) {
    case 'session:init':
    case 'step:start':
      return { ...answer, state: 'running' };
    case 'turn:recovering':
      return { ...answer, state: 'recovering' };
    case 'turn:parked':
      return { ...answer, state: 'waiting' };
    case 'chat:delta':
      return addText(answer, 'text', data);
    case 'thinking:delta':
      return addText(answer, 'thinking', data);
    case 'step:discard':
      // A worker died: the step runs again, and what it had said is void.
      return { ...answer, parts: answer.parts.filter((part) => stepOf(part) !== data.step) };
    case 'step:end':
      return { ...answer, parts: answer.parts.map(closeInput) };
    case 'message:joined':
      return { ...answer, parts: [...answer.parts, { type: 'steered', text: data.text }] };
    case 'system:notice':
      return { ...answer, parts: [...answer.parts, viewNotice(data)] };
    case 'attachment:warning': {
      const text = `${data.name}: ${data.reason}`;
      const notice = viewNotice({ kind: 'attachment-rejected', text });
      return { ...answer, parts: [...answer.parts, notice] };
    }
    case 'tool:request':
      return withCall(answer, data, (call) => ({ ...call, step: data.step, json: '' }));
    case 'tool:args':
      return withCall(answer, data, (call) => ({ ...call, json: (call.json ?? '') + data.json }));
    case 'tool:start':
      return withCall(answer, data, ({ json: _whole, ...call }) => ({
        ...call,
        input: data.input,
        status: 'running',
      }));
    case 'tool:progress':
      return withCall(answer, data, (call) => ({ ...call, progress: data.note }));
    case 'tool:result':
      return withCall(answer, data, ({ progress: _over, approval: _closed, ...call }) => ({
        ...call,
        status: data.status,
        output: data.output,
      }));
    case 'approval:request':
      return withCall(answer, data, (call) => ask(call, data));
    case 'approval:resolve':
      return resume(withCall(answer, data, (call) => settle(call, data)));
    case 'turn:error':
      return { ...answer, error: data };
    case 'turn:end':
      return { ...answer, end: data, state: data.outcome === 'completed' ? 'complete' : 'cut' };
    // What the answer does not show, and what a newer server may send.
    case 'turn:queued':
    case 'source':
    case 'output:partial':
    case 'output:final':
    case 'subagent:start':
    case 'subagent:end':
    case 'chat:complete':
    case 'session:complete':
    case 'session:reauthenticate':
    case 'turn:stalled':
    case 'process:exit':
    default:
      return answer;
  }
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
