import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { isPlainObject, type JsonObject } from '../../platform/json.js';

/** The field of `_meta` that has what a server asked, or what it is answered, in the one that the client checks. */
const WHOLE = 'turnpike/whole';

/** The least that the client takes for what a server may ask, by its method. */
const least: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': { message: '', requestedSchema: { type: 'object', properties: {} } },
  'sampling/createMessage': { messages: [], maxTokens: 1 },
};

/**
 * What a server asks, in a form that the client passes on. The client checks a form by a strict schema before anybody
 * here sees it, and refuses one that has a reference or a field that may be null with all that its library says of it.
 * What reads the question (`elicitation.ts`, `sampling.ts`) takes more, and refuses the rest in a sentence.
 */
export function wrapAsked(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCRequest(message)) return message;
  const { method, params = {} } = message;
  const valid = least[method];
  if (valid === undefined) return message;
  const meta = { ...params._meta, [WHOLE]: params };
  return { ...message, params: { ...valid, _meta: meta } };
}

/** The parameters of a request as the server sent them. */
export function unwrapAsked(params: { _meta?: unknown }): unknown {
  const { _meta: meta } = params;
  return isPlainObject(meta) ? meta[WHOLE] : params;
}

/** An answer that the client sends without a look at it: the values of a form may be null, where its schema says so. */
export function wrapAnswer<T extends { action: string }>(
  answer: T,
): { action: T['action']; _meta: JsonObject } {
  return { action: answer.action, _meta: { [WHOLE]: answer } };
}

/** A message as it is sent. */
export function unwrapAnswer(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message)) return message;
  const whole = message.result._meta?.[WHOLE];
  return isPlainObject(whole) ? { ...message, result: whole } : message;
}
