import { parseXml } from './parse-xml.js';

/** Built-in number formats that show a date or a time. */
const dateFormats = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51,
  52, 53, 54, 55, 56, 57, 58,
]);

/** Whether the cells of each style show dates, by the style's number. */
export function parseDateStyles(part: Buffer | undefined): boolean[] {
  const own = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isInStyles = false;
  parseXml(part, {
    open: (qualified, attributes) => {
      const name = localName(qualified);
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') own.set(id, isDateFormat(attributes['formatCode'] ?? ''));
      if (name === 'cellXfs') isInStyles = true;
      if (name === 'xf' && isInStyles) styles.push(own.get(id) ?? dateFormats.has(id));
    },
    close: (name) => {
      if (localName(name) === 'cellXfs') isInStyles = false;
    },
  });
  return styles;
}

/** The name of an element without its prefix, `row` for `x:row`: programs differ in prefixes. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Whether a format code shows a date, apart from its quoted texts, escaped letters and colours. */
function isDateFormat(code: string): boolean {
  const shown = code.replace(/"[^"]*"|\\.|_.|\[(?![hms]+\])[^\]]*\]/gi, '');
  return /[dmyhs]/i.test(shown) && !/general/i.test(shown);
}
