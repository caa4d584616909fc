import { invalidRequest, TypedError } from '../../errors/typed-error.js';
import { sessionBusy } from '../../turn/face.js';
import { type ErrorShape, narrowed } from '../../http/face.js';
import { isPlainObject } from '../../platform/face.js';
import { errorTypeOf } from './dialect/response-frames.js';
import { ResponsesErrorEnvelopeDto, type ResponsesErrorDto } from './responses.dto.js';

const shown = (id: string): string => id.slice(0, 120);

/** @param param the field, as the error names it to the client. */
export function badParam(param: string, message: string): TypedError {
  return invalidRequest(message, { param });
}

/** @param fault what is wrong with the field, which the sentence begins with. */
export function badField(field: string, fault: string): TypedError {
  return badParam(field, `'${field}' ${fault}`);
}

export function responseNotFound(responseId: string, param?: string): TypedError {
  return new TypedError('TURN_NOT_FOUND', {
    message: `There is no response '${shown(responseId)}'. It may have been deleted with its conversation, which is kept for a while after its last use.`,
    details: param === undefined ? undefined : { param },
  });
}

/** The error for an item that a request names, and that no response of its sender has. */
export function itemNotFound(itemId: string, param: string): TypedError {
  return new TypedError('TURN_NOT_FOUND', {
    message: `There is no item '${shown(itemId)}' in a response of yours: its conversation may have been deleted. Send the item itself in place of its id.`,
    details: { param },
  });
}

export function modelNotFound(model: string, known: readonly string[]): TypedError {
  return new TypedError('PERSONA_NOT_FOUND', {
    message: `'model' must name an agent or a model, and there is no '${shown(model)}'. Use one of: ${known.join(', ')}.`,
    details: { param: 'model' },
  });
}

/** The error for a response whose question was answered: its turn went on in the next one. */
export function notTheLast(responseId: string, last: string): TypedError {
  return badParam(
    'previous_response_id',
    `'${shown(responseId)}' asked a question, and continued as '${last}' after the answer: continue from that one.`,
  );
}

/** The error for a message to a turn that waits for answers. */
export function outputsMissing(missing: readonly string[]): TypedError {
  return badParam(
    'input',
    `The previous response waits for: ${missing.join(', ')}. Send a function_call_output for each call, and an mcp_approval_response for each approval, in one request and without other input.`,
  );
}

export function responseBusy(responseId: string): TypedError {
  return sessionBusy(
    `The response '${shown(responseId)}', or one after it, is not completed. Wait for its end, or end it: POST /v1/responses/{id}/cancel.`,
    { param: 'previous_response_id' },
  );
}

/** The error of an answer to what the named response did not ask. */
export function otherTurn(param: string): TypedError {
  return badParam(
    param,
    "The answers belong to another response than 'previous_response_id': name the response that asked, or leave it out.",
  );
}

export function conversationGone(responseId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    message: `The conversation of '${responseId}' was deleted before the response was complete.`,
  });
}

/** Errors as clients of the Responses API parse them. */
export const responsesShape: ErrorShape = {
  write: ({ status, headers, body: { error } }, path) => {
    const { type: code, details, correlationId, retryable } = error;
    const message = code === 'ROUTE_NOT_FOUND' ? noRoute(path) : error.message;
    const named = isPlainObject(details) ? details['param'] : undefined;
    return {
      status,
      headers: {
        // Clients repeat requests by their status, but for this header.
        'x-should-retry': String(retryable),
        ...headers,
        'Content-Type': 'application/json; charset=utf-8',
      },
      body: {
        error: {
          message,
          type: errorTypeOf(status),
          param: typeof named === 'string' ? named : null,
          code,
          correlationId,
        } satisfies ResponsesErrorDto,
      },
    };
  },
  describe: ({ codes }) => {
    const error = { type: 'object', properties: { code: { enum: codes } } };
    return { 'application/json': { schema: narrowed(ResponsesErrorEnvelopeDto, { error }) } };
  },
  models: [ResponsesErrorEnvelopeDto],
};

/** Routes of OpenAI's below ours, by the last part of their paths, with what takes their place. */
const notOffered: Readonly<Record<string, string>> = {
  input_tokens:
    'This server does not count the tokens of a request before it runs: they depend on the agent, its tools and the conversation. Read usage.input_tokens of the response; max_output_tokens bounds the reply.',
  compact:
    'This server shortens a conversation by itself when it nears the context window: go on with previous_response_id.',
};

/** The paths of `notOffered`, below `/v1/responses`. */
export const notOfferedPaths = Object.keys(notOffered);

/** Clients of this wire know other routes of OpenAI's, and try them. */
function noRoute(path: string): string {
  const instead = /\/v1\/responses\/(\w+)\/?$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(notOffered, instead)) {
    return `There is no route ${path.slice(0, 200)}. ${notOffered[instead]}`;
  }
  return `There is no route ${path.slice(0, 200)}. This server speaks the Responses API: send requests to POST /v1/responses; GET /v1/models lists the agents and models.`;
}
