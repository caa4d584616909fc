import { currentContract, type WireContract } from './http/read-request.js';
import { refuse } from './http/wire-error.js';
import { isPlainObject } from './json.js';
import { callableProfile } from './models/models.js';
import type { ModelProfile } from './models/profiles.js';
import { requestSchema } from './request-schema.js';
import { placeBlocks, type MessagesRequest, type PlacedBlock } from './request-types.js';
import { checkCacheMarks } from './rules/check-cache-marks.js';
import { checkMedia } from './rules/check-media.js';
import { checkMessages } from './rules/check-messages.js';
import { checkModel } from './rules/check-model.js';
import { checkFields, checkParameters } from './rules/check-parameters.js';
import { checkSchemas } from './rules/check-schemas.js';
import { explainIssues } from './rules/explain-issue.js';
import { checkThinking, type DroppedThinking } from './thinking/check-thinking.js';

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
  checkShape(body, contract);
  const blocks = placeBlocks(body.messages);
  checkTogether(body, contract, blocks);
  const profile = callableProfile(body.model);
  checkModel(body, profile, contract);
  checkMedia(blocks, profile);
  checkSchemas(body);
  // Named one by one: a spread here took longer than all rules of a short request.
  const { body: kept, dropped } = checkThinking(body, profile);
  return { body: kept, dropped, sent: body, profile };
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
  checkShape(body, contract);
  checkTogether(body, contract, placeBlocks(body.messages));
}

/**
 * Checks each field by itself. The body stays as it was sent: fields that the schema does not name count for the
 * cache and for signatures.
 */
function checkShape(body: unknown, contract: WireContract): asserts body is MessagesRequest {
  if (!isPlainObject(body)) throw refuse('request-shape', 'The body must be a JSON object.');
  checkFields(body, contract);
  const { error } = requestSchema.safeParse(body);
  if (error) throw explainIssues(error.issues, body);
}

/** Checks what valid fields are together. */
function checkTogether(
  body: MessagesRequest,
  contract: WireContract,
  blocks: readonly PlacedBlock[],
): void {
  checkParameters(body, contract);
  checkMessages(body, contract, blocks);
  checkCacheMarks(body, blocks);
}
