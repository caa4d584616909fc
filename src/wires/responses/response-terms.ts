import type { StoredResponsesRequest } from '../../storage/shapes/stored-responses.js';
import type { KnownItem } from './client-history.js';

/** What a response gives back of its request, but for its model and its input. */
export type Terms = Omit<
  StoredResponsesRequest,
  'model' | 'input' | 'developer' | 'answers' | 'firstTools' | 'deleted'
>;

/** What a response gives back of fields that its request does not have. */
export const defaultTerms: Terms = {
  previousResponseId: null,
  instructions: null,
  background: false,
  toolChoice: 'auto',
  format: { type: 'text' },
  effort: null,
  summary: null,
  maxOutputTokens: null,
  serviceTier: 'default',
  metadata: {},
  user: null,
  safetyIdentifier: null,
  promptCacheKey: null,
};

/** What a field of the request means: options of the turn, and what the response gives back of it. */
export interface ReadField {
  opts?: Record<string, unknown>;
  given?: Partial<Terms>;
}

/** What the application says in the items: messages of `system` and `developer`. */
export function notesIn(items: readonly KnownItem[]): string[] {
  return items.flatMap((item) =>
    item.kind === 'note' && item.text.trim() !== '' ? item.text : [],
  );
}

const verbosities: Partial<Record<string, string>> = {
  low: 'Answer briefly: say what was asked for, and no more.',
  high: 'Answer in detail: explain what you say, with its reasons.',
};

/** What the application says to the model beside the user; undefined: nothing. Pure. */
export function describeInstructions({
  instructions,
  developer = [],
  verbosity = 'medium',
}: Pick<StoredResponsesRequest, 'instructions' | 'developer' | 'verbosity'>): string | undefined {
  const said = [instructions ?? '', ...developer, verbosities[verbosity] ?? ''];
  const text = said.filter((one) => one.trim() !== '').join('\n\n');
  return text === '' ? undefined : text;
}
