import { isPlainObject, type JsonObject, type JsonValue } from '../json.js';

/** Parts that a schema may have once each reference is replaced by what it refers to. */
export const MAX_PARTS = 100_000;

/** Keywords of definitions: nothing in them counts until it is referred to. */
const definitions = ['$defs', 'definitions'];
/** Keywords of maps by free names, which may be those of keywords. */
const named = ['properties', 'patternProperties', 'dependentSchemas', ...definitions];

/**
 * What a reference of a schema leads to: `#`, a pointer as `#/$defs/a`, or an anchor as `#a`. Undefined where the
 * schema does not have it.
 */
export function resolveReference(schema: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#' || reference === '#/') return schema;
  if (!reference.startsWith('#')) return undefined;
  if (!reference.startsWith('#/')) return findAnchor(schema, reference.slice(1));
  let at: JsonValue | undefined = schema;
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** The references in a value, each as often as it occurs. */
export function referencesIn(value: JsonValue): string[] {
  const found: string[] = [];
  walk(value, (part) => {
    const own = referenceOf(part);
    if (own !== undefined) found.push(own);
    return true;
  });
  return found;
}

/** Whether a pattern of a schema has more groups inside of each other than `most`. Time is linear. */
export function hasDeepPattern(schema: JsonObject, most: number): boolean {
  let isDeep = false;
  walk(schema, ({ pattern, patternProperties: byName }) => {
    const patterns = [pattern, ...(isPlainObject(byName) ? Object.keys(byName) : [])];
    isDeep ||= patterns.some((one) => typeof one === 'string' && groupsIn(one) > most);
    return !isDeep;
  });
  return isDeep;
}

function groupsIn(pattern: string): number {
  let [open, deepest] = [0, 0];
  for (const [mark] of pattern.matchAll(/\\.|\[(?:\\.|[^\\\]])*\]|[()]/gs)) {
    if (mark === '(') open += 1;
    else if (mark === ')') open -= 1;
    deepest = Math.max(deepest, open);
  }
  return deepest;
}

/**
 * Whether a schema has more than 100,000 parts once each reference is replaced by what it refers to. Definitions that
 * refer to each other in a circle count once together. Each definition is counted once: a chain of definitions that
 * each refer twice to the next doubles with each level, and code that follows references would never end. Pure.
 */
export function isTooIntertwined(schema: JsonObject): boolean {
  return measure(schema) > MAX_PARTS;
}

/** A part that is referred to, or the root. */
interface Vertex {
  order: number;
  /** The first of the open parts that it leads to: its circle begins there. */
  first: number;
  /** Parts in it, without references. */
  own: number;
  links: Vertex[];
  /** The circle that it is in, once that is known. */
  circle?: { parts: number };
}

/** Tarjan's algorithm: circles of references are known from the last one to the first. */
function measure(root: JsonObject): number {
  const known = new Map<JsonObject, Vertex>();
  const open: Vertex[] = [];
  const visit = (part: JsonObject): Vertex => {
    const { size, targets } = survey(root, part);
    const vertex: Vertex = { order: known.size, first: known.size, own: size, links: [] };
    known.set(part, vertex);
    open.push(vertex);
    for (const target of targets) {
      const link = known.get(target) ?? visit(target);
      if (link.circle === undefined) vertex.first = Math.min(vertex.first, link.first);
      vertex.links.push(link);
    }
    if (vertex.first === vertex.order) close(open.splice(open.indexOf(vertex)));
    return vertex;
  };
  return visit(root).circle?.parts ?? 0;
}

function close(members: readonly Vertex[]): void {
  const circle = { parts: 0 };
  for (const member of members) member.circle = circle;
  let parts = 0;
  for (const { own, links } of members) {
    parts += own;
    for (const { circle: other } of links) if (other !== circle) parts += other?.parts ?? 0;
  }
  circle.parts = Math.min(parts, MAX_PARTS + 1);
}

function survey(root: JsonObject, part: JsonObject): { size: number; targets: JsonObject[] } {
  let size = 0;
  const targets: JsonObject[] = [];
  walk(part, (inner, [key, above]) => {
    if (definitions.includes(key) && !named.includes(above)) return false;
    size += 1;
    const reference = referenceOf(inner);
    const target = reference === undefined ? undefined : resolveReference(root, reference);
    if (isPlainObject(target)) targets.push(target);
    return true;
  });
  return { size, targets };
}

function referenceOf(part: JsonObject): string | undefined {
  const reference = part['$ref'] ?? part['$dynamicRef'];
  return typeof reference === 'string' ? reference : undefined;
}

function findAnchor(schema: JsonObject, name: string): JsonObject | undefined {
  let found: JsonObject | undefined;
  walk(schema, (part) => {
    if (part['$anchor'] === name || part['$dynamicAnchor'] === name) found ??= part;
    return found === undefined;
  });
  return found;
}

/** An object's key, and that of the object or list around it; empty where there is none. */
type Keys = readonly [key: string, above: string];

/** Visits each object in a value, from the outside in; not below one for which `visit` says false. */
function walk(value: JsonValue, visit: (part: JsonObject, keys: Keys) => boolean): void {
  const left: { value: JsonValue; keys: Keys }[] = [{ value, keys: ['', ''] }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { keys } = next;
    if (Array.isArray(next.value)) {
      for (const item of next.value) left.push({ value: item, keys: ['', keys[0]] });
    } else if (isPlainObject(next.value)) {
      const part = next.value;
      if (!visit(part, keys)) continue;
      for (const [key, item] of Object.entries(part))
        left.push({ value: item, keys: [key, keys[0]] });
    }
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
