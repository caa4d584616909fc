import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/client';
import { isPlainObject } from '../../platform/json.js';
import { wrapAsked } from './asked-params.js';

/** The field that a server's own result is under, in the one that the client checks. */
const WHOLE = 'turnpike/result';

const list = { ttlMs: 0, cacheScope: 'private' };

/** The least that the client takes for a result, by the method of the request. */
const least: Readonly<Record<string, object>> = {
  'tools/list': { tools: [], ...list },
  'tools/call': { content: [] },
  'resources/list': { resources: [], ...list },
  'resources/templates/list': { resourceTemplates: [], ...list },
  'resources/read': { contents: [], ...list },
  'prompts/list': { prompts: [], ...list },
  'prompts/get': { messages: [] },
};

/**
 * Results of a server, in a form that the client passes on. Since 2026-07-28 the client checks a result as a whole
 * before its caller sees it: one tool with an odd schema, one unknown block or a missing `ttlMs` would cost all tools.
 * So the client is given the least that is valid, with the server's result in a field of it; what reads the result
 * (`offered-tools.ts`, `call-tool.ts`) judges each part alone.
 */
export class Answers {
  /** Methods of the requests that have no answer yet. Those of a request that nobody waits for are not kept. */
  readonly #methods = new Map<RequestId, string>();

  /** Notes what a message asks for, or that nobody waits for an answer any more. */
  asked(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#methods.set(message.id, message.method);
    else if ('method' in message && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') this.forget(id);
    }
  }

  isAwaited(id: RequestId): boolean {
    return this.#methods.has(id);
  }

  /** @returns whether an answer was awaited. */
  forget(id: RequestId): boolean {
    return this.#methods.delete(id);
  }

  /** The message as the client may have it. */
  wrap(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message) return wrapAsked(message);
    if (message.id === undefined) return message;
    const method = this.#methods.get(message.id);
    this.#methods.delete(message.id);
    if (method === undefined || !('result' in message)) return message;
    return { ...message, result: wrapResult(method, message.result) };
  }

  clear(): void {
    this.#methods.clear();
  }
}

function wrapResult(method: string, result: Record<string, unknown>): Record<string, unknown> {
  if (method === 'server/discover') return describeFully(result);
  const valid = least[method];
  const { resultType } = result;
  // Anything else than a complete result is for the client: it names the kind that it does not support.
  const isOther = typeof resultType === 'string' && resultType !== 'complete';
  if (valid === undefined || isOther) return result;
  return { ...valid, resultType: 'complete', [WHOLE]: result };
}

/** A server that says its versions and leaves out what the protocol also wants is of these versions all the same. */
function describeFully(result: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(result['supportedVersions'])) return result;
  const { capabilities, instructions, ...rest } = result;
  return {
    ...list,
    resultType: 'complete',
    ...rest,
    capabilities: isPlainObject(capabilities) ? capabilities : {},
    ...(typeof instructions === 'string' && { instructions }),
  };
}

/** The result as the server sent it. */
export function unwrapResult(result: Record<string, unknown>): Record<string, unknown> {
  const whole = result[WHOLE];
  return isPlainObject(whole) ? whole : result;
}
