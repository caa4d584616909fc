import { WireError } from '../http/wire-error.js';
import type { ModelProfile } from './model-profile.js';
import { profiles } from './profiles.js';

const byId: ReadonlyMap<string, ModelProfile> = new Map(
  profiles.flatMap((profile) =>
    [profile.id, ...profile.aliases].map((id): [string, ModelProfile] => [id, profile]),
  ),
);

/**
 * The model of an id or alias, retired ones included.
 *
 * @throws a 404 for any other id
 */
export function findProfile(id: string): ModelProfile {
  const profile = byId.get(id);
  if (profile) return profile;
  throw unknownModel(id);
}

/**
 * The model of an id or alias that a request may call.
 *
 * @throws a 404 for any other id, and for a retired model
 */
export function callableProfile(id: string): ModelProfile {
  const profile = findProfile(id);
  if (profile.lifecycle === 'retired') throw unknownModel(id);
  return profile;
}

/** The API's error is the same for a model that never was and for a retired one. */
function unknownModel(id: string): Error {
  return new WireError(404, `model: ${id}`, { rule: 'unknown-model' });
}
