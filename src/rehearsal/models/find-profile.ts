import { wireError } from '../http/wire-error.js';
import type { ModelProfile } from './model-profile.js';
import { profiles } from './profiles.js';

const byId: ReadonlyMap<string, ModelProfile> = new Map(
  profiles.flatMap((profile) =>
    [profile.id, ...profile.aliases].map((id): [string, ModelProfile] => [id, profile]),
  ),
);

/**
 * The model of that id or alias, a retired one too.
 *
 * @throws a 404 for any other id
 */
export function findProfile(id: string): ModelProfile {
  const profile = byId.get(id);
  if (profile) return profile;
  throw unknownModel(id);
}

/**
 * The model of that id or alias, for a call.
 *
 * @throws a 404 for any other id, and for a retired model
 */
export function callableProfile(id: string): ModelProfile {
  const profile = findProfile(id);
  if (profile.lifecycle === 'retired') throw unknownModel(id);
  return profile;
}

/** The API tells a model that never was from one that is gone no more than this. */
function unknownModel(id: string): Error {
  return wireError(404, `model: ${id}`, { rule: 'unknown-model' });
}
