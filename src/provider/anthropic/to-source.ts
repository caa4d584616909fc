import type { Source } from '../../events/turn-event.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';

type Location = NonNullable<Source['location']>;

interface LocationRule {
  /** `Source.type`. */
  kind: 'document' | 'search' | 'web';
  unit?: Location['unit'];
  start?: string;
  end?: string;
  title: string;
  url?: string;
}

/** The citations of the API by their `type`. Ranges are half-open, as in the API. */
const RULES: Readonly<Record<string, LocationRule>> = {
  char_location: {
    kind: 'document',
    unit: 'char',
    start: 'start_char_index',
    end: 'end_char_index',
    title: 'document_title',
  },
  page_location: {
    kind: 'document',
    unit: 'page',
    start: 'start_page_number',
    end: 'end_page_number',
    title: 'document_title',
  },
  content_block_location: {
    kind: 'document',
    unit: 'block',
    start: 'start_block_index',
    end: 'end_block_index',
    title: 'document_title',
  },
  search_result_location: {
    kind: 'search',
    unit: 'block',
    start: 'start_block_index',
    end: 'end_block_index',
    title: 'title',
    url: 'source',
  },
  web_search_result_location: { kind: 'web', title: 'title', url: 'url' },
};

/**
 * Maps a citation of the wire to a `Source`: characters and blocks count from 0, pages from 1, and
 * `end` is the first that is not cited. An unknown type of location keeps its type, title and text.
 * The title falls back to the URL, then to `Untitled`.
 */
export function toSource(citation: unknown): Source {
  const fields = isPlainObject(citation) ? citation : {};
  const wireType = text(fields['type']) ?? 'unknown';
  const rule = Object.hasOwn(RULES, wireType) ? RULES[wireType] : undefined;
  const url = text(rule?.url === undefined ? fields['url'] : fields[rule.url]);
  const title = text(fields[rule?.title ?? 'title']) ?? text(fields['document_title']) ?? url;
  const citedText = text(fields['cited_text']);
  const location = rule && toLocation(rule, fields);
  return compact({
    type: rule?.kind ?? wireType,
    title: title ?? 'Untitled',
    url,
    citedText,
    location,
  });
}

function toLocation(rule: LocationRule, fields: Record<string, unknown>): Location | undefined {
  if (rule.unit === undefined || rule.start === undefined || rule.end === undefined)
    return undefined;
  const start = fields[rule.start];
  const end = fields[rule.end];
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  return { unit: rule.unit, start, end };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
