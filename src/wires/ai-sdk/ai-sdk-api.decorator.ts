import { getSchemaPath } from '@nestjs/swagger';
import { ApiStream, frameOf, textFrame } from '../../http/streams/api-stream.decorator.js';

/** Parts of the stream that are this server's own, for the documentation. */
const dataParts: Record<string, string> = {
  'data-approval':
    'status (pending, resolved), toolCallId, kind, reason, expiresAt, onTimeout; then decision, by, message?, input?; its id is the approval’s',
  'data-tool-progress': 'toolCallId, note, elapsedMs; transient',
  'data-subagent': 'toolCallId, name, status, text (the newest 2,000 characters), isCut',
  'data-notice': 'kind, level, text, metadata?',
  'data-attachment-rejected': 'name, reason, index',
  'data-context': 'tokens, maxTokens?',
  'data-queue': 'position; 0: it waits no more',
  'data-joined': 'messageId, afterStep, text',
  'data-recovering': 'attempt, reason',
  'data-discard': 'step, partIds: the parts since the last step-start are taken back',
};

/** Documents the stream of a route. */
export function ApiUiMessageStream() {
  const rows = Object.entries(dataParts).map(([type, fields]) => `- \`${type}\`: ${fields}`);
  return ApiStream({
    wire: 'ai-sdk',
    description: [
      'The UI message stream of the AI SDK, version 1: Server-Sent Events without a name, each with an id; the last one is `[DONE]`. Before an `error`, `message-metadata` has `error`: code, status, retryable, retryAfterMs?, requestId?. Parts of this server’s own:',
      '',
      ...rows,
    ].join('\n'),
    frames: [frameOf({ $ref: getSchemaPath('AiSdkChunk') }), textFrame('[DONE]')],
  });
}
