import iconv from 'iconv-lite';
import { SaxesParser } from 'saxes';
import { decodeStrictly } from '../../../platform/text/well-formed.js';
import { FileFault } from '../extraction-types.js';
import { detectUtf16 } from '../text/decode-text.js';
import { findDeclared } from '../text/extract-plain.js';

/** Nested elements at most: more is an attack. */
const MAX_DEPTH = 200;
/** Bytes in which a part declares its encoding. */
const HEAD_BYTES = 200;

type Attributes = Readonly<Record<string, string>>;

export interface XmlListener {
  open?(name: string, attributes: Attributes): void;
  /** @param name the element that has the text. */
  text?(text: string, name: string): void;
  close?(name: string): void;
}

/** The usual prefixes of namespaces. Each has a transitional form, with a year, and a strict one. */
const usualPrefixes: readonly (readonly [RegExp, string])[] = [
  [/\/spreadsheetml\/(?:[\d/]+\/)?main$/i, ''],
  [/\/wordprocessingml\/(?:[\d/]+\/)?main$/i, 'w'],
  [/\/presentationml\/(?:[\d/]+\/)?main$/i, 'p'],
  [/\/drawingml\/(?:[\d/]+\/)?main$/i, 'a'],
  [/\/drawingml\/(?:[\d/]+\/)?picture$/i, 'pic'],
  [/\/drawingml\/(?:[\d/]+\/)?wordprocessingDrawing$/i, 'wp'],
  [/\/officeDocument\/(?:[\d/]+\/)?relationships$/i, 'r'],
  [/\/package\/[\d/]+\/(?:relationships|content-types)$/i, ''],
  [/\/markup-compatibility\/\d+$/i, 'mc'],
  [/\/office\/word\/2010\/wordml$/i, 'w14'],
  [/^urn:schemas-microsoft-com:vml$/i, 'v'],
  [/^urn:schemas-microsoft-com:office:office$/i, 'o'],
];

const usualPrefix = (uri: string): string | undefined =>
  usualPrefixes.find(([pattern]) => pattern.test(uri))?.[1];

/** Whether an alternative that needs this namespace shows more of the text than the fallback. */
const isUnderstood = (uri: string): boolean => {
  const prefix = usualPrefix(uri);
  if (prefix !== undefined) return prefix !== 'v';
  return /^https?:\/\/schemas\.microsoft\.com\/office\/(?!.*(?:ink|model3d)$)/i.test(uri);
};

/** The namespaces in force, by prefix, and the names that they make of the document's. */
interface Scope {
  /** Number of elements around the one that declared them. */
  depth: number;
  uris: ReadonlyMap<string, string>;
  names: Map<string, string>;
}

/**
 * Parses a part of an office document, element by element. Programs choose prefixes freely: the listener gets the
 * usual ones, `w:p`, `a:t`, `r:id`, and none in workbooks, `row`. Of alternatives (`mc:AlternateContent`) it gets
 * the best.
 *
 * @throws FileFault when the part is no whole XML.
 */
export function parseXml(part: Buffer, listener: XmlListener): void {
  let scope: Scope = { depth: -1, uris: new Map(), names: new Map() };
  const around: Scope[] = [];
  const open: string[] = [];
  const alternatives = new Alternatives();
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new FileFault('is damaged: one of its parts is not complete XML', { cause: error });
  });
  parser.on('opentag', ({ name: qualified, attributes }) => {
    // Most elements, as the cells of a sheet, have neither: this is the path of millions.
    const isPlain = hasPlainNames(attributes);
    const declared = isPlain ? [] : declaredIn(attributes);
    if (declared.length > 0) {
      around.push(scope);
      const uris = new Map([...scope.uris, ...declared]);
      scope = { depth: open.length, uris, names: new Map() };
    }
    const name = nameIn(scope, qualified);
    open.push(name);
    if (open.length > MAX_DEPTH)
      throw new FileFault('is damaged: its elements are nested too deeply');
    if (!alternatives.open(name, attributes, scope.uris)) return;
    listener.open?.(name, isPlain ? attributes : rename(attributes, scope));
  });
  const onText = (text: string): void => {
    if (!alternatives.isSkipping) listener.text?.(text, open.at(-1) ?? '');
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', () => {
    const name = open.pop() ?? '';
    if (scope.depth === open.length) scope = around.pop() ?? scope;
    if (alternatives.close(name)) listener.close?.(name);
  });
  parser.write(decodeXml(part)).close();
}

/** Chooses among alternatives: the first choice that is understood, else the fallback. */
class Alternatives {
  /** Whether one was chosen, of each open element of alternatives. */
  readonly #chosen: boolean[] = [];
  /** Open elements of an alternative that is not chosen. */
  #skipped = 0;

  get isSkipping(): boolean {
    return this.#skipped > 0;
  }

  /** Whether the listener gets the element. */
  open(name: string, attributes: Attributes, uris: ReadonlyMap<string, string>): boolean {
    if (this.#skipped > 0) this.#skipped += 1;
    else if (!name.startsWith('mc:')) return true;
    else if (name === 'mc:AlternateContent') this.#chosen.push(false);
    else if (name === 'mc:Choice' || name === 'mc:Fallback') {
      const takes =
        this.#chosen.at(-1) !== true && (name === 'mc:Fallback' || isChoice(attributes, uris));
      if (takes) this.#chosen[this.#chosen.length - 1] = true;
      else this.#skipped = 1;
    } else return true;
    return false;
  }

  close(name: string): boolean {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (!name.startsWith('mc:')) return true;
    else if (name === 'mc:AlternateContent') this.#chosen.pop();
    else return name !== 'mc:Choice' && name !== 'mc:Fallback';
    return false;
  }
}

function isChoice(
  { Requires: requires = '' }: Attributes,
  uris: ReadonlyMap<string, string>,
): boolean {
  const prefixes = requires.split(/\s+/).filter((prefix) => prefix !== '');
  return prefixes.every((prefix) => isUnderstood(uris.get(prefix) ?? ''));
}

/** Whether no attribute has a prefix or declares a namespace. */
function hasPlainNames(attributes: Attributes): boolean {
  for (const name in attributes) if (name === 'xmlns' || name.includes(':')) return false;
  return true;
}

function declaredIn(attributes: Attributes): [string, string][] {
  const declared: [string, string][] = [];
  for (const name in attributes) {
    if (name.startsWith('xmlns'))
      declared.push([name.slice('xmlns:'.length), attributes[name] ?? '']);
  }
  return declared;
}

/** The name with the usual prefix of its namespace; with the document's where none is usual. */
function nameIn({ uris, names }: Scope, qualified: string): string {
  const known = names.get(qualified);
  if (known !== undefined) return known;
  const colon = qualified.indexOf(':');
  const uri = uris.get(colon === -1 ? '' : qualified.slice(0, colon));
  const prefix = uri === undefined ? undefined : usualPrefix(uri);
  const local = qualified.slice(colon + 1);
  const own = prefix === '' ? local : `${prefix}:${local}`;
  const name = prefix === undefined ? qualified : own;
  names.set(qualified, name);
  return name;
}

/** Attributes without a prefix are in no namespace. */
function rename(attributes: Attributes, scope: Scope): Attributes {
  const named = Object.entries(attributes).map(([name, value]) => {
    return [name.includes(':') ? nameIn(scope, name) : name, value] as const;
  });
  return Object.fromEntries(named);
}

/** Parts are UTF-8 or UTF-16; some programs write, and declare, another encoding. */
function decodeXml(part: Buffer): string {
  const utf16 = detectUtf16(part);
  const declared = utf16 ?? findDeclared(part.subarray(0, HEAD_BYTES).toString('latin1'));
  const text = utf16 === undefined ? decodeStrictly(part) : undefined;
  if (text !== undefined) return text.trimStart();
  return (declared === undefined ? part.toString() : iconv.decode(part, declared)).trimStart();
}
