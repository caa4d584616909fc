import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { isBase64 } from '../../platform/text/is-base64.js';
import type { ModelMessage, UserPart } from '../../provider/model-types.js';
import { SampleRefusedError, type SampleReply, type SampleRequest } from '../tool.js';
import type { McpDefinition } from './definitions.js';

/** How much a server may ask the turn's model in one call of a tool. */
export interface SamplingLimits {
  /** Tokens of a reply at most. */
  maxTokens: number;
  /** Model calls. */
  maxCalls: number;
}

const standard: SamplingLimits = { maxTokens: 4_096, maxCalls: 10 };

/** The limits of a server's definition; undefined: it may not ask the model. */
export function samplingLimits(sampling: McpDefinition['sampling']): SamplingLimits | undefined {
  if (sampling === undefined || sampling === false) return undefined;
  return sampling === true ? standard : { ...standard, ...sampling };
}

/**
 * Reads a server's question to the model from the parameters of its `sampling/createMessage`. Its hints (`modelPreferences`,
 * `temperature`, `metadata`) and the context that it would like (`includeContext`) are left out.
 *
 * @throws SampleRefusedError for what is not possible here, by its name.
 */
export function readSampling(params: unknown, limits: SamplingLimits): SampleRequest {
  if (!isPlainObject(params)) throw invalid('its request cannot be read');
  const { messages, systemPrompt = '', maxTokens, stopSequences = [] } = params;
  for (const field of ['tools', 'toolChoice', 'task']) {
    if (params[field] !== undefined) throw invalid(`it sends ${field}, which is not offered`);
  }
  if (typeof systemPrompt !== 'string') throw invalid('its systemPrompt is no text');
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens) || maxTokens < 1) {
    throw invalid('its maxTokens is no whole number from 1');
  }
  if (!isListOfTexts(stopSequences)) {
    throw invalid('its stopSequences are no list of texts that are not blank');
  }
  const read = Array.isArray(messages) ? messages.map(readMessage) : [];
  if (read[0]?.role !== 'user' || read.at(-1)?.role !== 'user') {
    throw invalid('its messages do not begin and end with one of the user');
  }
  return {
    system: systemPrompt,
    messages: read,
    maxTokens: Math.min(maxTokens, limits.maxTokens),
    stopSequences,
    maxCalls: limits.maxCalls,
  };
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && one.trim() !== '');
}

function readMessage(message: unknown): ModelMessage {
  const { role, content } = isPlainObject(message) ? message : {};
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const parts = blocks.map(readBlock);
  if (role === 'user') return { role, parts };
  if (role !== 'assistant') throw invalid('it sends a message of neither user nor assistant');
  const texts = parts.filter((part) => part.type === 'text');
  if (texts.length < parts.length) throw invalid('it sends an image as of the assistant');
  return { role, parts: texts };
}

function readBlock(block: unknown): Extract<UserPart, { type: 'text' | 'image' }> {
  const { type, text, data, mimeType } = isPlainObject(block) ? block : {};
  if (type === 'text' && typeof text === 'string') return { type, text: text.toWellFormed() };
  if (type === 'image' && typeof data === 'string' && isBase64(data)) {
    return { type, base64: data, mediaType: typeof mimeType === 'string' ? mimeType : '' };
  }
  const name = typeof type === 'string' ? type.slice(0, 100) : 'nothing';
  throw invalid(`it sends ${name}, and the model is asked with text and images in base64 alone`);
}

function invalid(message: string): SampleRefusedError {
  return new SampleRefusedError('invalid', message);
}

const stopReasons = {
  end_turn: 'endTurn',
  max_tokens: 'maxTokens',
  stop_sequence: 'stopSequence',
} as const;

/** A reply as the server has it. */
export function sampleResult({ text, model, stopReason }: SampleReply) {
  return {
    role: 'assistant' as const,
    content: { type: 'text' as const, text },
    model,
    stopReason: stopReasons[stopReason],
  };
}

/** The protocol's code of a request that the user's side does not grant. */
const REFUSED = -1;

/** A refusal as a server has it that waits on its connection; any other error as it is. */
export function samplingError(error: unknown): unknown {
  if (!(error instanceof SampleRefusedError)) return error;
  const { reason, message } = error;
  return new ProtocolError(codeOf(reason), message, { reason } satisfies JsonObject);
}

function codeOf(reason: string): number {
  switch (reason) {
    case 'invalid':
      return ProtocolErrorCode.InvalidParams;
    case 'model':
      return ProtocolErrorCode.InternalError;
    default:
      return REFUSED;
  }
}
