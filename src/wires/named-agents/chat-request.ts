import { invalidRequest } from '../../errors/typed-error.js';
import { fromUlid, ulidPattern } from '../../http/ulid-form.js';

const LONGEST_MESSAGE = 10_000;
const LONGEST_SHOWN = 60;

/** The fields of a chat request, its files aside. */
export interface ChatRequest {
  message: string;
  /** The session's id in the server's form; undefined: a new session. */
  sessionId: string | undefined;
}

/**
 * Parses the fields of a chat (contract: holodeck, section 1); others are not looked at. What is no
 * id of a session begins a new one (section 2). Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 that names the message, what it is and what is allowed.
 */
export function parseChatRequest(fields: Record<string, unknown>): ChatRequest {
  return {
    message: parseMessage(fields['message']),
    sessionId: parseSessionId(fields['session_id']),
  };
}

/** A blank text is for files to come with. @throws TypedError INVALID_REQUEST 400 where none do. */
export function checkNotBlank(message: string, files: number): void {
  if (files > 0 || message.trim() !== '') return;
  throw invalidRequest("'message' is blank; it must have text where no files come with it");
}

/** @throws TypedError INVALID_REQUEST 400 for text that is no ULID. */
export function checkUlid(field: string, value: string): string {
  if (ulidPattern.test(value)) return value;
  throw invalidRequest(
    `'${field}' is ${show(value)}; it must be a ULID: 26 of the digits and capital letters without I, L, O and U`,
  );
}

function parseMessage(value: unknown): string {
  const allowed = `a text of 1 to ${LONGEST_MESSAGE.toLocaleString('en')} characters`;
  if (value === undefined) throw invalidRequest(`'message' is missing; it must be ${allowed}`);
  if (typeof value !== 'string') {
    throw invalidRequest(`'message' is ${show(value)}; it must be ${allowed}`);
  }
  // A pair of surrogates is one character.
  const length = Array.from(value).length;
  if (length >= 1 && length <= LONGEST_MESSAGE) return value;
  const more = length === 0 ? '' : '. Send the rest as a file';
  throw invalidRequest(`'message' has ${length} characters; it must be ${allowed}${more}`, {
    limit: LONGEST_MESSAGE,
  });
}

/** A ULID means the same in small letters. */
function parseSessionId(value: unknown): string | undefined {
  return typeof value === 'string' ? fromUlid('sess', value.toUpperCase()) : undefined;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
