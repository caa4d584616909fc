import { currentContract, type WireContract } from './http/parse-headers.js';
import { callableProfile } from './models/find-profile.js';
import type { ModelProfile } from './models/model-profile.js';
import type { MessagesRequest } from './request-types.js';
import { validateOutputConfig } from './rules/validate-format.js';
import { validateMedia } from './rules/validate-media.js';
import { validateModelLimits } from './rules/validate-model-limits.js';
import { validateThinking } from './rules/validate-thinking.js';
import { checkThinking, type DroppedThinking } from './thinking/check-thinking.js';
import { validateRequest } from './validate-request.js';

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
