import { isPlainObject } from '../../platform/json.js';
import type { IdField } from '../owned.decorator.js';

type Parts = { params?: unknown; body?: unknown; query?: unknown };

/**
 * The id in a field of a request, trimmed where the field is in a body, as routes do. Undefined
 * where the field is no text: the route itself refuses that. Pure.
 */
export function idAt(request: Parts, field: IdField): string | undefined {
  const dot = field.indexOf('.');
  const part = field.slice(0, dot) as keyof Parts;
  const holder = request[part];
  const value = isRecord(holder) ? holder[field.slice(dot + 1)] : undefined;
  if (typeof value !== 'string') return undefined;
  return part === 'body' ? value.trim() : value;
}

/** The router's own objects have other prototypes than plain ones. */
function isRecord(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) || (typeof value === 'object' && value !== null);
}
