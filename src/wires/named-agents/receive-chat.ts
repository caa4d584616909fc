import type { IncomingMessage } from 'node:http';
import type { BlobStore } from '../../attachments/blob-store.js';
import { receiveJson } from '../../attachments/receive/receive-json.js';
import { receiveMultipart } from '../../attachments/receive/receive-multipart.js';
import type { ReceivedFile } from '../../attachments/received-file.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { takeRequest } from '../../http/request.pipe.js';
import type { Clock } from '../../platform/clock.js';
import type { ChatLimits } from './chat-limits.js';
import { ChatRequestDto } from './chat-request.dto.js';

export interface ReceivedChat {
  message: string;
  /** The session's id in the server's form; undefined: a new session. */
  sessionId: string | undefined;
  files: readonly ReceivedFile[];
}

export interface ReceiveChatDeps {
  store: BlobStore;
  clock: Clock;
  limits: ChatLimits;
}

/**
 * Receives a chat from its request, as a form or as JSON by its `Content-Type`; its files are
 * stored as they come.
 *
 * @throws TypedError 400 INVALID_REQUEST, 408 REQUEST_TIMEOUT, 413 BODY_TOO_LARGE or
 * FILE_TOO_LARGE; ClientGoneError. Nobody uses what was stored then: it is forgotten.
 */
export async function receiveChat(
  request: IncomingMessage,
  { store, clock, limits }: ReceiveChatDeps,
): Promise<ReceivedChat> {
  const { fields, files } = isForm(request)
    ? await receiveMultipart(request, {
        store,
        clock,
        limits: limits.multipart,
        fields: ['message', 'session_id'],
        fileField: 'files',
      })
    : await receiveJson(request, { store, clock, limits: limits.json });
  const { message, session_id: sessionId } = await takeRequest(ChatRequestDto, fields);
  // A blank text is for files to come with.
  if (files.length > 0 || message.trim() !== '') return { message, sessionId, files };
  throw invalidRequest("'message' is blank; it must have text where no files come with it");
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '');
}
