import { isPlainObject } from '../../../platform/json.js';
import type { AgUiEvent, AgUiMessage } from './ag-ui-event.js';

/**
 * An event as clients of the protocol before 1.0 take it: they refuse the outcome of a cancelled run, and calls
 * in an outcome. The metadata has both. Files are `binary` parts there. Pure.
 */
export function toOldEvent(event: AgUiEvent): object {
  if (event.type === 'MESSAGES_SNAPSHOT') {
    return { ...event, messages: event.messages.map(withBinaryParts) };
  }
  if (event.type !== 'RUN_FINISHED') return event;
  const { outcome, metadata, ...rest } = event;
  switch (outcome.type) {
    case 'interrupt':
      return event;
    case 'cancelled':
      return { ...rest, metadata };
    case 'success': {
      const { pendingToolCallIds } = outcome;
      if (pendingToolCallIds === undefined) return event;
      const turnpike = { pendingToolCallIds };
      return { ...rest, outcome: { type: 'success' }, metadata: { ...metadata, turnpike } };
    }
  }
}

function withBinaryParts(message: AgUiMessage): AgUiMessage {
  const { content } = message;
  if (message.role !== 'user' || !Array.isArray(content)) return message;
  return { ...message, content: content.map(toBinaryPart) };
}

function toBinaryPart(part: unknown): unknown {
  const { source, metadata } = isPlainObject(part) ? part : {};
  if (!isPlainObject(source) || source['type'] !== 'url') return part;
  const { value: url, mimeType } = source;
  const { filename } = isPlainObject(metadata) ? metadata : {};
  return { type: 'binary', mimeType, url, ...(filename === undefined ? {} : { filename }) };
}
