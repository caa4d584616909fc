import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import type { ChatMessage } from './chat-message.js';

/** An answer as a part of the assistant's message has it. */
export type GivenPart =
  | { type: 'approval'; approvalId: string; isApproved: boolean; reason: string | undefined }
  /**
   * The output of a call, perhaps of a client's tool: only the server knows which tools the client
   * runs.
   */
  | { type: 'output'; callId: string; output: unknown; isError: boolean };

/**
 * Parses the answers in the last step of an assistant's message; earlier requests answered the
 * earlier steps.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function parseGivenParts({ content, field }: ChatMessage): GivenPart[] {
  const { parts } = content;
  if (!Array.isArray(parts)) {
    throw invalidRequest(`'${field}.parts' is missing or no list: send the message as it is`);
  }
  const list = parts as unknown[];
  const step = list.findLastIndex((part) => isPlainObject(part) && part['type'] === 'step-start');
  return list.flatMap((part, index) => {
    if (index <= step || !isPlainObject(part) || !isToolPart(part['type'])) return [];
    return parsePart(part, `${field}.parts[${index}]`) ?? [];
  });
}

function isToolPart(type: unknown): boolean {
  return typeof type === 'string' && (type === 'dynamic-tool' || type.startsWith('tool-'));
}

function parsePart(part: Record<string, unknown>, at: string): GivenPart | undefined {
  const { state, toolCallId: callId, approval, providerExecuted } = part;
  if (state === 'approval-responded') return parseApproval(approval, at);
  // Calls of the server's are marked as run by somebody else.
  if (providerExecuted === true) return undefined;
  if (state !== 'output-available' && state !== 'output-error') return undefined;
  if (typeof callId !== 'string') throw invalidRequest(`'${at}.toolCallId' must be text`);
  const isError = state === 'output-error';
  // A tool that gives nothing has ended all the same.
  const output = (isError ? part['errorText'] : part['output']) ?? null;
  return { type: 'output', callId, output, isError };
}

function parseApproval(approval: unknown, at: string): GivenPart {
  const given = isPlainObject(approval) ? approval : {};
  const { id: approvalId, approved: isApproved, reason } = given;
  if (typeof approvalId !== 'string' || typeof isApproved !== 'boolean') {
    throw invalidRequest(
      `'${at}.approval' must have the 'id' of the request and 'approved': use addToolApprovalResponse`,
    );
  }
  if (reason !== undefined && reason !== null && typeof reason !== 'string') {
    throw invalidRequest(`'${at}.approval.reason' must be text`);
  }
  return { type: 'approval', approvalId, isApproved, reason: reason ?? undefined };
}
