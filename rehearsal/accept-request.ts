import { isPlainObject } from './json.js';
import { currentContract, type WireContract } from './http/read-request.js';
import { callableProfile } from './models/models.js';
import type { ModelProfile } from './models/profiles.js';
import type { MessagesRequest } from './request-types.js';
import { validateOutputConfig } from './rules/validate-format.js';
import { validateMedia, validateBlock } from './rules/validate-blocks.js';
import { validateModelLimits, validateThinking } from './rules/validate-model.js';
import { checkThinking, type DroppedThinking } from './thinking/check-thinking.js';
import { refuse } from './http/wire-error.js';
import { validateCacheMarks, validateMessages } from './rules/validate-messages.js';
import { validateFields, validateToolChoice, validateTools } from './rules/validate-tools.js';

/** A request that the model answers. */
export interface AcceptedRequest {
  /** The request without the thinking that was dropped. */
  body: MessagesRequest;
  /** The request as it was sent. */
  sent: MessagesRequest;
  profile: ModelProfile;
  dropped: DroppedThinking[];
}

/**
 * Refuses what the API refuses, except what needs tokens to be counted. Stateless: every rehearsal
 * takes or refuses the same requests, before and after a restart.
 *
 * @throws a 400 with the path of the fault; a 404 for a model that is unknown or retired
 */
export function acceptRequest(
  body: unknown,
  contract: WireContract = currentContract,
): AcceptedRequest {
  validateRequest(body, contract);
  const profile = callableProfile(body.model);
  validateThinking(body, profile, contract);
  validateModelLimits(body, profile);
  validateMedia(body, profile);
  validateOutputConfig(body);
  return { ...checkThinking(body, profile), sent: body, profile };
}

/**
 * Refuses what the API refuses for every model: fields, roles, content, tools, cache marks and the
 * pairing of calls with results. `acceptRequest` adds what depends on the model.
 *
 * @throws a 400 whose message starts with the path of the fault, for example `messages.2.content.0`
 */
export function validateRequest(
  body: unknown,
  contract: WireContract = currentContract,
): asserts body is MessagesRequest {
  validateParameters(body, contract);
  validateCacheMarks(body);
}

/** Each parameter by itself: after it the body has the shape of a request. @throws a 400. */
function validateParameters(
  body: unknown,
  contract: WireContract,
): asserts body is MessagesRequest {
  if (!isPlainObject(body)) throw refuse('request-shape', 'The body must be a JSON object.');
  if (typeof body['model'] !== 'string' || body['model'] === '') {
    throw refuse('request-shape', 'model: Field required');
  }
  validateFields(body, contract);
  validateMaxTokens(body);
  validateSystem(body['system'], contract);
  validateTools(body['tools']);
  validateToolChoice(body['tool_choice'], body['tools']);
  validateStopSequences(body['stop_sequences']);
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean') {
    throw refuse('request-shape', 'stream: Input should be a valid boolean');
  }
  validateMessages(body['messages'], contract);
}

/** Zero fills the cache without a reply, which cannot be streamed. */
function validateMaxTokens(body: Record<string, unknown>): void {
  const maxTokens = body['max_tokens'];
  if (maxTokens === undefined) throw refuse('request-shape', 'max_tokens: Field required');
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 0) {
    throw refuse('request-shape', 'max_tokens: Input should be a whole number, 0 or more');
  }
  if (maxTokens === 0 && body['stream'] === true) {
    throw refuse('request-shape', 'max_tokens: 0 cannot be streamed');
  }
}

function validateSystem(system: unknown, contract: WireContract): void {
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) {
    throw refuse('request-shape', 'system: Input should be a string or text blocks');
  }
  system.forEach((block, index) =>
    validateBlock(block, { holder: 'system', path: `system.${index}`, contract }),
  );
}

function validateStopSequences(sequences: unknown): void {
  if (sequences === undefined) return;
  const valid = Array.isArray(sequences) && sequences.every((item) => typeof item === 'string');
  if (valid) return;
  throw refuse('request-shape', 'stop_sequences: Input should be an array of strings');
}
