import type { HarnessFrames, MessageView } from '../server-types.js';

/** A message of a chat. */
export interface ChatMessage {
  /** The id is this page's own: it names a message of the chat as long as the chat is shown. */
  id: string;
  /** The turn of the message; absent while the message is on its way to the server. */
  turnId?: string;
  role: 'user' | 'assistant';
  parts: readonly ChatPart[];
  /**
   * An answer's state. `queued`: its turn has not started. `running`. `recovering`: its worker died, and another one goes on.
   * `waiting`: for a person, see `approval` of its calls. `complete`. `cut`: its turn ended before it was complete.
   */
  state: 'queued' | 'running' | 'recovering' | 'waiting' | 'complete' | 'cut';
  /** How the turn ended, where this page read its end. */
  end?: HarnessFrames['turn:end'];
  /** Why the turn failed. */
  error?: HarnessFrames['turn:error'];
}

/** A part of a message, in the order in which it was said. */
export type ChatPart = ChatText | ChatCall | ChatFile | ChatNotice;

export interface ChatText {
  /** `steered`: what the person said while the answer came. */
  type: 'text' | 'thinking' | 'steered';
  text: string;
  /** The model call that it is of, from 1. */
  step?: number;
}

/** A file of the person's message: `client.uploads.load(id)`. */
export interface ChatFile {
  type: 'file';
  id: string;
  name: string;
  mimeType: string;
  /** Bytes. */
  size: number;
}

/** The server's notes on the turn: an option that had no effect, a limit that is near. */
export interface ChatNotice {
  type: 'notice';
  /** As the page on limits lists them. */
  kind: string;
  text: string;
  step?: number;
}

/** A tool call. */
export interface ChatCall {
  type: 'tool';
  callId: string;
  name: string;
  /** Undefined while the model still writes it: `json` has what it wrote so far. */
  input: unknown;
  json?: string;
  /** `waiting`: for an answer to `approval`. The last four are final. */
  status: 'requested' | 'running' | 'waiting' | 'success' | 'error' | 'denied' | 'unknown';
  /** The result as the model has it; null before the end. */
  output: string | null;
  /** What the tool said last of its progress. */
  progress?: string;
  /** The open question about the call. */
  approval?: ChatApproval;
  step?: number;
}

/** A question that the turn waits for. */
export type ChatApproval = Omit<HarnessFrames['approval:request'], 'toolUseId' | 'name' | 'input'>;

const finalStatuses = ['success', 'error', 'denied', 'unknown'] as const;

/** Messages as `client.messages` lists them, oldest first, as messages of a chat. Pure. */
export function viewStored(stored: readonly MessageView[]): ChatMessage[] {
  return stored.flatMap((message): ChatMessage[] => {
    const { turnId, role, status } = message;
    if (role === 'system' || message.afterStep !== undefined) return [];
    const id = idOf(turnId, role);
    if (role === 'user') {
      return [{ id, turnId, role, state: 'complete', parts: message.parts.flatMap(viewPart) }];
    }
    const aside = stored.filter((one) => one.turnId === turnId && one !== message);
    const parts = viewAnswer(message, aside);
    return [{ id, turnId, role, state: status === 'active' ? 'running' : status, parts }];
  });
}

/** A turn has one message of each. */
export function idOf(turnId: string, role: ChatMessage['role']): string {
  return `${turnId}:${role}`;
}

/** The parts of an answer: its steps, what stood between them, and the note at its end. */
function viewAnswer(
  { parts, steps = [] }: MessageView,
  aside: readonly MessageView[],
): readonly ChatPart[] {
  const between = (isIn: (after: number) => boolean): ChatPart[] =>
    aside.flatMap(({ afterStep, parts: said }) =>
      afterStep === undefined || !isIn(afterStep) ? [] : [{ type: 'steered', text: textOf(said) }],
    );
  const first = steps[0]?.step ?? Infinity;
  const last = steps.at(-1)?.step ?? Infinity;
  const saidInSteps = steps.reduce((sum, step) => sum + step.parts.length, 0);
  return [
    ...aside.flatMap(({ notice }) => (notice === undefined ? [] : [viewNotice(notice)])),
    ...between((after) => after < first),
    ...steps.flatMap(({ step, parts: said, notices }) => [
      ...said.flatMap(viewPart).map((part) => ({ ...part, step })),
      ...notices.map(viewNotice),
      ...between((after) => after === step),
    ]),
    ...between((after) => after > last),
    ...parts.slice(saidInSteps).flatMap(viewPart),
  ];
}

function viewPart(part: MessageView['parts'][number]): ChatPart[] {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return [{ type: part.type, text: part.text }];
    case 'file': {
      const { type, id, name, mimeType, size } = part;
      return [{ type, id, name, mimeType, size }];
    }
    case 'tool': {
      const { toolUseId: callId, name, input, output } = part;
      const final = finalStatuses.find((status) => status === part.status);
      const status = final ?? (part.status === 'claimed' ? 'running' : 'requested');
      return [{ type: 'tool', callId, name, input, status, output }];
    }
  }
}

export function viewNotice({ kind, text }: { kind: string; text: string }): ChatNotice {
  return { type: 'notice', kind, text };
}

function textOf(parts: MessageView['parts']): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
