import type { UIMessage } from 'ai';
import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import { describeIssue } from '../conversation/describe-issue.js';

/** A message as it came. */
export type SentMessage = Record<string, unknown> & { role: string };

/** @throws TypedError INVALID_REQUEST 400. */
export function readMessages(value: unknown): SentMessage[] {
  if (!Array.isArray(value)) {
    throw invalidRequest("'messages' is missing or no list: send the messages of the chat");
  }
  return (value as unknown[]).map((message, index) => {
    if (!isPlainObject(message)) throw invalidRequest(`'messages[${index}]' must be an object`);
    const { role } = message;
    if (typeof role === 'string') return { ...message, role };
    throw invalidRequest(`'messages[${index}].role' is missing or no text`);
  });
}

/** Stands for what is not read. */
const blank = { type: 'step-start' };

/**
 * Checks messages by the package's own schema, as far as they are read: parts of other kinds, from newer
 * packages or from applications, stand as blanks, and so do messages of other roles. Null counts as absent,
 * and so does what an answer does not need.
 *
 * @param from index of the first of these messages in the client's list.
 * @param isRead whether a part of a type, at an index, is read.
 * @throws TypedError INVALID_REQUEST 400 that says which field is wrong.
 */
export async function checkMessages(
  messages: readonly SentMessage[],
  { role, from }: { role: UIMessage['role']; from: number },
  isRead: (type: string, index: number) => boolean,
): Promise<UIMessage[]> {
  const sent = messages.map((message, index) => {
    const { id } = message;
    const parts = message.role === role ? readParts(message, from + index) : [];
    const read = parts.map((part, at) => {
      const type = isPlainObject(part) ? part['type'] : undefined;
      return typeof type === 'string' && !isRead(type, at) ? blank : complete(part);
    });
    return {
      id: typeof id === 'string' ? id : '',
      role,
      parts: read.length === 0 ? [blank] : read,
    };
  });
  // The package takes 4 MB: a server without clients of the protocol does not load it.
  const [{ safeValidateUIMessages }, { ZodError }] = await Promise.all([
    import('ai'),
    import('zod'),
  ]);
  const checked = await safeValidateUIMessages({ messages: sent });
  if (checked.success) return checked.data;
  const { cause } = checked.error;
  if (!(cause instanceof ZodError)) throw checked.error;
  const issues = cause.issues.map((issue) => ({ ...issue, path: ['messages', ...issue.path] }));
  const advice =
    role === 'assistant'
      ? ". An answer has the 'id' of the request and 'approved': use addToolApprovalResponse"
      : '';
  throw invalidRequest(describeIssue(issues, { messages: from }) + advice);
}

function readParts({ parts }: SentMessage, index: number): readonly unknown[] {
  if (Array.isArray(parts)) return parts as unknown[];
  throw invalidRequest(
    `'messages[${index}].parts' is missing or no list: send messages as version 5 or later of the AI SDK has them`,
  );
}

/** A tool that gives nothing has ended all the same; its package leaves its output out. */
function complete(part: unknown): unknown {
  if (!isPlainObject(part)) return part;
  const { state, approval } = part;
  const sent = withoutNulls(part);
  if (state === 'approval-responded') {
    const answer = isPlainObject(approval) ? withoutNulls(approval) : approval;
    return { toolName: '', toolCallId: '', input: null, ...sent, approval: answer };
  }
  const isOutput = state === 'output-available';
  return isOutput ? { toolName: '', input: null, output: null, ...sent } : sent;
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
