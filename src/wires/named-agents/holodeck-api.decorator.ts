import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader } from '@nestjs/swagger';
import { ApiStream, namedFrames } from '../../http/streams/api-stream.decorator.js';
import type { HolodeckEvent } from './dialect/holodeck-event.js';
import { ChatRequestDto } from './chat-request.dto.js';

/** Names of the events and the fields of their data, for the documentation. */
const events: Record<HolodeckEvent['event'], string> = {
  stream_start: 'session_id, message_id; the first one',
  message_delta: 'delta, message_id',
  message_reset:
    'message_id, content: every delta before it is void, and a call that has not ended was not run; the answer begins with `content` in their place',
  tool_call_start: 'tool_call_id, name, message_id',
  tool_call_args: 'tool_call_id, args_delta: the fragments of a call make its JSON',
  tool_call_end: 'tool_call_id, status (success, error)',
  stream_end:
    'message_id, tokens_used (or null), execution_time_ms, content (the whole answer), output? (the object of an agent that has one), sources? (type, title, url?, cited_text?, location?), limit? (reason, message), notices?; the last one',
  error:
    'type, title, status, detail, retryable, retryAfterMs?, requestId?; the last one, in place of `stream_end`',
};

/** Documents what a chat sends. */
export function ApiChat() {
  return applyDecorators(
    ApiConsumes('application/json', 'multipart/form-data'),
    ApiBody({ type: ChatRequestDto }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'A repeat in the same session joins the first turn.',
    }),
  );
}

/** Documents the stream of a route. */
export function ApiHolodeckStream() {
  const rows = Object.entries(events).map(([name, data]) => `- \`${name}\`: ${data}`);
  return ApiStream({
    wire: 'holodeck',
    description: [
      'Server-Sent Events. Every frame has an `id`; send the last one back as `Last-Event-ID` to `GET /agent/{name}/chat/stream/{message_id}` to go on after it. Data is one line of JSON with these fields:',
      '',
      ...rows,
    ].join('\n'),
    frames: namedFrames('HolodeckFrames'),
  });
}
