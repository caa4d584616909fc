import type { IncomingMessage } from 'node:http';
import type { BlobStore } from '../../attachments/blob-store.js';
import { receiveJson } from '../../attachments/receive/receive-json.js';
import { receiveMultipart } from '../../attachments/receive/receive-multipart.js';
import type { ReceivedFile } from '../../attachments/received-file.js';
import type { Clock } from '../../platform/clock.js';
import type { ChatLimits } from './chat-limits.js';
import { checkNotBlank, parseChatRequest, type ChatRequest } from './chat-request.js';

export interface ReceivedChat extends ChatRequest {
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
  const asked = parseChatRequest(fields);
  checkNotBlank(asked.message, files.length);
  return { ...asked, files };
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^multipart\//i.test(headers['content-type'] ?? '');
}
