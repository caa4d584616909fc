import type { StepView } from './server-types.js';

/** Why a model call paid again for what the provider's cache had, for people. */
export const missCauses: Readonly<Record<NonNullable<StepView['cacheMiss']>['cause'], string>> = {
  'model-changed': 'another model was called than before; each has a cache of its own',
  'place-changed':
    'the model was called in another place than before, which has a cache of its own',
  'tools-changed': 'the list of tools was another than before, and it comes first in a request',
  'system-changed':
    'the system prompt was another than before: of another agent, or of one that was edited',
  'messages-changed':
    'earlier messages were sent in another form than before: shortened, or without what the provider refused',
  expired: 'the call came after the lifetime of the cache',
  unknown:
    'nothing of the request had changed, and the lifetime of the cache was not over; the provider does not say why',
};
