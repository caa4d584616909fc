import { useCallback } from 'react';
import type { ModelList } from '#src/client/turnpike-client.js';
import { client } from '../api/client.js';
import { useResource } from './use-resource.js';

/** The models that turns may name; undefined until they are loaded, without which every page works. */
export function useModels(): ModelList | undefined {
  return useResource(useCallback(() => client().models(), [])).value;
}
