import { getSchemaPath } from '@nestjs/swagger';
import { ApiStream, frameOf } from '../../http/streams/api-stream.decorator.js';

/** Types of the chunks and their fields, for the documentation. */
const chunks: Record<string, string> = {
  thinking: 'content',
  content: 'content',
  source: 'source: path, source_type, snippet?, metadata; after the last content',
  tool_call: 'tool_call: id, name, arguments (JSON), status',
  tool_result: 'tool_call_id, tool_result (at most 2,000 characters), metadata.order',
  status: 'message',
  context_update: 'context_tokens, max_context_tokens',
  system:
    'system_type (limit_warning, limit_reached, no_progress, error_limit, tool_limit, options_ignored, content_discarded: `metadata.content` replaces all content before it), system_message, metadata?',
  done: 'answer (the whole of it), tokens_used, model_used?, context_id?, context_tokens?, max_context_tokens?, metadata? (termination_reason, turns_used, max_turns); the last one',
  error:
    'error, context_id?, metadata? (termination_reason, status?, retryable, retryAfterMs?, requestId?); the last one, or before `done` where it was cancelled',
};

/** Documents the stream of a route. */
export function ApiOracleStream() {
  const rows = Object.entries(chunks).map(([type, fields]) => `- \`${type}\`: ${fields}`);
  return ApiStream({
    wire: 'oracle',
    description: [
      'Server-Sent Events without a name. Data is one line of JSON with a `type` and these fields:',
      '',
      ...rows,
    ].join('\n'),
    frames: [frameOf({ $ref: getSchemaPath('OracleChunk') })],
  });
}
