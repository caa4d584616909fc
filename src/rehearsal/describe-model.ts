import { wireError } from './wire-error.js';

export interface ModelInfo {
  type: 'model';
  id: string;
  display_name: string;
  created_at: string;
}

/**
 * A model as `GET /v1/models/:id` shows it: every `claude-…` id, and `rehearsal`.
 *
 * @throws a 404 for any other id
 */
export function describeModel(id: string): ModelInfo {
  if (id !== 'rehearsal' && !id.startsWith('claude-')) {
    throw wireError(404, `model: ${id}. The rehearsal has "rehearsal" and ids like "claude-…".`);
  }
  return {
    type: 'model',
    id,
    display_name: `${id} (rehearsal)`,
    created_at: '2026-01-01T00:00:00Z',
  };
}
