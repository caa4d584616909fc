import { assertNever } from '../../platform/assert-never.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ModelMessage, StopReason, UserPart } from '../model-types.js';

/** A message in the form of OpenTelemetry's conventions for generative AI. */
interface TracedMessage {
  role: ModelMessage['role'];
  parts: object[];
}

/** The messages of a request, files by their kind and name alone. Pure. */
export function describeMessages(messages: readonly ModelMessage[]): TracedMessage[] {
  return messages.map((message): TracedMessage => {
    switch (message.role) {
      case 'user':
        return { role: 'user', parts: message.parts.map(userPart) };
      case 'assistant':
        return { role: 'assistant', parts: message.parts.flatMap(assistantPart) };
      case 'system':
        return { role: 'system', parts: [{ type: 'text', content: message.text }] };
      default:
        return assertNever(message);
    }
  });
}

/** The reply to a request. Pure. */
export function describeReply(parts: readonly AssistantPart[], finish: StopReason) {
  return { role: 'assistant', parts: parts.flatMap(assistantPart), finish_reason: finish };
}

function userPart(part: UserPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', content: part.text };
    case 'image':
      return { type: 'file', modality: 'image', mime_type: part.mediaType };
    case 'pdf':
      return { type: 'file', modality: 'document', mime_type: 'application/pdf', name: part.title };
    case 'document':
      return { type: 'file', modality: 'document', mime_type: 'text/plain', name: part.title };
    case 'tool_result':
      return { type: 'tool_call_response', id: part.callId, response: part.output };
    default:
      return assertNever(part);
  }
}

/** The provider's own blocks are left out: they are encrypted, or of its tools. */
function assistantPart(part: AssistantPart): object[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', content: part.text }];
    case 'thinking':
      return [{ type: 'reasoning', content: part.thinking }];
    case 'tool_use':
      return [{ type: 'tool_call', id: part.id, name: part.name, arguments: part.input }];
    case 'redacted_thinking':
    case 'opaque':
      return [];
    default:
      return assertNever(part);
  }
}
