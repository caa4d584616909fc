/** The field and file name of a form's part. */
export interface ContentDisposition {
  /** Name of the field. */
  name: string;
  /** Name of the file as sent; undefined when the part has none. */
  fileName: string | undefined;
}

const parameter =
  /;\s*([\w!#$&+^`|~.-]+)(\*?)\s*=\s*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^\s;"]*))\s*/gy;

/** The three characters that browsers escape. */
const escaped = /%(22|0[Dd]|0[Aa])/g;

/**
 * Parses a part's Content-Disposition; undefined when it is no `form-data` with a name.
 *
 * @param header the header's bytes, which are UTF-8, one character each.
 */
export function parseContentDisposition(header: string): ContentDisposition | undefined {
  const text = Buffer.from(header, 'latin1').toString('utf8').trim();
  const type = /^form-data\s*(?=;)/i.exec(text);
  if (type === null) return undefined;
  const values = new Map<string, string>();
  parameter.lastIndex = type[0].length;
  let end = parameter.lastIndex;
  for (let match = parameter.exec(text); match !== null; match = parameter.exec(text)) {
    end = parameter.lastIndex;
    const [, key = '', star = '', quoted, bare = ''] = match;
    const value = star === '' ? unquote(quoted, bare) : decodeExtended(quoted ?? bare);
    if (value === undefined) return undefined;
    values.set(key.toLowerCase() + star, value);
  }
  const name = values.get('name');
  if (name === undefined || end !== text.length) return undefined;
  return { name, fileName: values.get('filename*') ?? values.get('filename') };
}

function unquote(quoted: string | undefined, bare: string): string {
  if (quoted === undefined) return bare;
  return quoted.replace(/\\(["\\])/g, '$1').replace(escaped, (code) => decodeURIComponent(code));
}

/** Decodes an extended value of RFC 5987, as `utf-8'en'a%20b`; undefined when it is none. */
function decodeExtended(value: string): string | undefined {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value);
  if (match === null) return undefined;
  try {
    return decodeURIComponent(match[1] ?? '');
  } catch {
    return undefined;
  }
}
