import { testZip } from './test-zip.js';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const transitional = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships';

/** Namespaces of office documents, in the form that programs write by default. */
export const ns = {
  x: 'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  w: 'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  p: 'http://schemas.openxmlformats.org/presentationml/2006/main',
  a: 'http://schemas.openxmlformats.org/drawingml/2006/main',
  pic: 'http://schemas.openxmlformats.org/drawingml/2006/picture',
  wp: 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
  wps: 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
  xdr: 'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing',
  mc: 'http://schemas.openxmlformats.org/markup-compatibility/2006',
  v: 'urn:schemas-microsoft-com:vml',
  r: transitional,
} as const;

/** The parts of an office document by name. */
export type OfficeParts = Record<string, string | Buffer>;

export interface OfficeFileOptions {
  /** Changes the name of each entry of the archive. */
  rename?: (name: string) => string;
  /** Writes the text of each part. Default: UTF-8. */
  encode?: (text: string) => Buffer;
  hasDescriptors?: boolean;
}

/** An office document of parts; a declaration is put before each text. */
export function officeFile(parts: OfficeParts, options: OfficeFileOptions = {}): Buffer {
  const { rename = (name) => name, encode = (text) => Buffer.from(text) } = options;
  const files = Object.entries(parts).map(([name, content]) => {
    const bytes = typeof content === 'string' ? encode(HEAD + content) : content;
    return [rename(name), bytes] as const;
  });
  return testZip(files, options);
}

/** A relation by its id, the last word of its type and its target; external ones have a mode. */
export type MadeRelation = readonly [id: string, type: string, target: string, mode?: string];

/** A part of relations. */
export function relations(
  made: readonly MadeRelation[],
  form: 'transitional' | 'strict' = 'transitional',
): string {
  const base = form === 'strict' ? strict : transitional;
  const written = made.map(([id, type, target, mode]) => {
    const full = type.includes('/') ? type : `${base}/${type}`;
    return `<Relationship Id="${id}" Type="${full}" Target="${target}"${mode === undefined ? '' : ` TargetMode="${mode}"`}/>`;
  });
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${written.join('')}</Relationships>`;
}

/** The relations of the package itself: its main part. */
export const mainRelation = (
  target: string,
  form: 'transitional' | 'strict' = 'transitional',
): string => relations([['rId1', 'officeDocument', target]], form);

/** The part of content types: of parts by name, all others are XML. */
export function contentTypes(overrides: Readonly<Record<string, string>>): string {
  const written = Object.entries(overrides).map(
    ([name, type]) =>
      `<Override PartName="/${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${written.join('')}</Types>`;
}
