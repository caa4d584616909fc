import type { Source } from '../../../events/turn-event.js';
import { clip, type OracleSource } from './oracle-chunk.js';

const LONGEST_SNIPPET = 500;

export const sourceTypes = ['code', 'vault', 'thread', 'repomap'] as const;

/** A kind of source that the oracle wire has no word for is a document of the vault. */
export function toOracleSource({ type, title, url, citedText, location }: Source): OracleSource {
  return {
    path: title === '' ? (url ?? '') : title,
    source_type: sourceTypes.find((known) => known === type) ?? 'vault',
    snippet: citedText === undefined ? undefined : clip(citedText, LONGEST_SNIPPET),
    metadata: { type, url, location },
  };
}
