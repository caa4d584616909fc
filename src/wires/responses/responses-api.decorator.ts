import { getSchemaPath } from '@nestjs/swagger';
import { ApiStream, frameOf, textFrame } from '../../http/streams/api-stream.decorator.js';

/** Documents the answers of a route that streams a response, or has it whole. @param when it is whole. */
export function ApiResponseStream(when: string) {
  return ApiStream({
    wire: 'responses',
    description: [
      'Server-Sent Events of the Responses API, named by their type; the last one is `[DONE]`. `sequence_number` grows, and leaves a gap where another worker takes the turn over; send the last one back as `starting_after` to go on after it. `response.in_progress` after items takes back those that it does not have.',
      '',
      when,
    ].join('\n'),
    frames: [frameOf({ $ref: getSchemaPath('ResponsesEvent') }), textFrame('[DONE]')],
    others: { 'application/json': { schema: { $ref: getSchemaPath('ResponseObject') } } },
  });
}
