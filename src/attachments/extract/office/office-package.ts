import path from 'node:path/posix';
import { FileFault } from '../extraction-types.js';
import { openArchive, type ArchiveEntry } from './open-archive.js';
import { parseXml, type XmlListener } from './parse-xml.js';

/** How the main part of each kind is typed, and what it is usually called. */
const mainParts = {
  docx: { contentType: /\b(?:wordprocessingml|ms-word)\..*main\+xml$/, usual: 'word/document.xml' },
  xlsx: { contentType: /\b(?:spreadsheetml|ms-excel)\..*main\+xml$/, usual: 'xl/workbook.xml' },
  pptx: {
    contentType: /\b(?:presentationml|ms-powerpoint)\..*main\+xml$/,
    usual: 'ppt/presentation.xml',
  },
} as const;

/** A part of an office document. */
export type Part = ArchiveEntry;

export interface Relation {
  id: string;
  /** The last word of the type, in lower case: `sharedstrings`. */
  type: string;
  /** The part that is referred to; undefined when the document names it and does not have it. */
  part: Part | undefined;
}

/**
 * The parts of an office document, found as programs find them: by relations, else by content types. Programs name
 * parts and folders freely.
 */
export class OfficePackage {
  readonly #exact = new Map<string, Part>();
  readonly #folded = new Map<string, Part>();
  readonly #relations = new Map<string, readonly Relation[]>();
  #contentTypes: ReadonlyMap<Part, string> | undefined;

  private constructor(entries: readonly ArchiveEntry[]) {
    for (const entry of entries) {
      const name = normalize(entry.name);
      this.#exact.set(name, entry);
      if (this.#folded.get(fold(name))?.name !== entry.name && this.#folded.has(fold(name)))
        continue;
      this.#folded.set(fold(name), entry);
    }
  }

  /** @throws FileFault when it is no archive, or one that is not read. */
  static async open(content: Buffer): Promise<OfficePackage> {
    return new OfficePackage(await openArchive(content));
  }

  /**
   * The main part of a document of the kind; undefined when nothing says which one it is.
   *
   * @throws FileFault when it is named and missing.
   */
  findMain(kind: keyof typeof mainParts): Part | undefined {
    const { contentType, usual } = mainParts[kind];
    const named = this.#relationsOf('').filter(({ type }) => type === 'officedocument');
    if (named.length > 0) {
      const parts = named.flatMap(({ part }) => part ?? []);
      const main = parts.find((part) => contentType.test(this.#typeOf(part))) ?? parts[0];
      if (main === undefined) throw new FileFault('is damaged: its main part is missing');
      return main;
    }
    return this.#findTyped(contentType) ?? this.#find(usual);
  }

  /** The parts that a part refers to, in the order of its relations. */
  relationsOf(part: Part): readonly Relation[] {
    return this.#relationsOf(normalize(part.name));
  }

  /** The parts that a part refers to by relations of a type, such as `sharedStrings`; each once. */
  related(part: Part, type: string): Relation[] {
    const relations = this.relationsOf(part).filter(
      (relation) => relation.type === type.toLowerCase(),
    );
    return [...new Map(relations.map((relation) => [relation.part, relation])).values()];
  }

  /** The one part of a type that belongs to the main part; by its content type where no relation says. */
  relatedToMain(main: Part, type: string): Relation | undefined {
    const relations = this.related(main, type);
    const relation = relations.find(({ part }) => part !== undefined) ?? relations[0];
    if (relation !== undefined) return relation;
    const part = this.#findTyped(new RegExp(`\\.${type}\\+xml$`, 'i'));
    return part === undefined ? undefined : { id: '', type, part };
  }

  #relationsOf(name: string): readonly Relation[] {
    const known = this.#relations.get(name);
    if (known !== undefined) return known;
    const relations: Relation[] = [];
    const part = this.#find(path.join(path.dirname(name), '_rels', `${path.basename(name)}.rels`));
    const folder = path.dirname(name);
    parsePart(part, {
      open: (element, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) => {
        if (element !== 'Relationship' || mode?.toLowerCase() === 'external' || isUrl(target))
          return;
        const word = type.slice(type.lastIndexOf('/') + 1).toLowerCase();
        relations.push({ id, type: word, part: this.#resolve(folder, target) });
      },
    });
    this.#relations.set(name, relations);
    return relations;
  }

  /** A target is relative to its part's folder; some programs leave out the `/` of one from the root. */
  #resolve(folder: string, target: string): Part | undefined {
    const [named = ''] = target.replaceAll('\\', '/').split('#');
    const inFolder = named.startsWith('/') ? undefined : this.#find(path.join('/', folder, named));
    return inFolder ?? this.#find(named);
  }

  #find(name: string): Part | undefined {
    const normal = normalize(name);
    return this.#exact.get(normal) ?? this.#folded.get(fold(normal));
  }

  #typeOf(part: Part): string {
    this.#contentTypes ??= this.#readContentTypes();
    return this.#contentTypes.get(part) ?? '';
  }

  #findTyped(contentType: RegExp): Part | undefined {
    return [...this.#exact.values()].find((part) => contentType.test(this.#typeOf(part)));
  }

  #readContentTypes(): Map<Part, string> {
    const byExtension = new Map<string, string>();
    const types = new Map<Part, string>();
    const list = this.#find('[Content_Types].xml');
    parsePart(list, {
      open: (element, attributes) => {
        const {
          Extension: extension = '',
          PartName: name = '',
          ContentType: type = '',
        } = attributes;
        if (element === 'Default') byExtension.set(fold(extension), fold(type));
        const part = element === 'Override' ? this.#find(name) : undefined;
        if (part !== undefined) types.set(part, fold(type));
      },
    });
    for (const part of this.#exact.values()) {
      const type = byExtension.get(fold(path.extname(part.name).slice(1)));
      if (type !== undefined && part !== list && !types.has(part)) types.set(part, type);
    }
    return types;
  }
}

/**
 * Parses a part element by element; one that a document need not have has no elements.
 *
 * @throws FileFault when it is no XML.
 */
export function parsePart(part: Part | undefined, listener: XmlListener): void {
  if (part === undefined) return;
  if (part.xml === undefined)
    throw new FileFault('is damaged: one of its parts is not complete XML');
  parseXml(part.xml, listener);
}

/** A name without `%`, `.` and `..`, from the root: `xl/sheet 1.xml` for `/xl/./sheet%201.xml`. */
function normalize(name: string): string {
  return path.join('/', unescapePercent(name)).slice(1);
}

function unescapePercent(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    // A `%` that escapes nothing is one of the name.
    return name;
  }
}

/** The case of ASCII letters does not count in names, and that of no other letter is folded. */
const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const isUrl = (target: string): boolean => /^[a-z][a-z\d+.-]*:/i.test(target);
