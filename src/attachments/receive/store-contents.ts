import type { ContentTaker } from './content-taker.js';
import { MOST_DEPTH, type JsonPath } from './build-document.js';
import { documentTooDeep } from './receive-errors.js';

interface FoundText {
  path: JsonPath;
  text: string;
  replace(value: unknown): void;
}

/** Stores the files that are in a parsed document, and puts what they became in their place. */
export async function storeContents(document: unknown, taker: ContentTaker): Promise<unknown> {
  const root = { document };
  for (const { path, text, replace } of findTexts(root, taker)) {
    replace(await taker.take(path, [text]));
  }
  return root.document;
}

/** In one go: a document of many small values would be slow to walk with an await at each. */
function findTexts(root: { document: unknown }, taker: ContentTaker): FoundText[] {
  const found: FoundText[] = [];
  const path: (string | number)[] = [];
  const visit = (value: unknown, replace: (value: unknown) => void): void => {
    if (typeof value === 'string' && taker.takes(path)) {
      found.push({ path: [...path], text: value, replace });
    }
    if (typeof value !== 'object' || value === null) return;
    if (path.length >= MOST_DEPTH) throw documentTooDeep();
    for (const [key, item] of Object.entries(value)) {
      path.push(Array.isArray(value) ? Number(key) : key);
      visit(item, (other) => Object.defineProperty(value, key, { value: other }));
      path.pop();
    }
  };
  visit(root.document, (value) => {
    root.document = value;
  });
  return found;
}
