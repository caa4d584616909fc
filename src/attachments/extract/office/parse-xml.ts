import { SaxesParser } from 'saxes';
import { FileFault } from '../file-fault.js';

/** Nested elements at most: more is an attack. */
const MOST_DEPTH = 200;

export interface XmlListener {
  open?(name: string, attributes: Record<string, string>): void;
  /** @param name the element that has the text. */
  text?(text: string, name: string): void;
  close?(name: string): void;
}

/** Parses a part of an office document, element by element; a missing part has no elements. */
export function parseXml(part: Buffer | undefined, listener: XmlListener): void {
  if (part === undefined) return;
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new FileFault('is damaged: a part of it is no whole XML', { cause: error });
  });
  parser.on('opentag', ({ name, attributes }) => {
    open.push(name);
    if (open.length > MOST_DEPTH) throw new FileFault('is damaged: its elements are too deep');
    listener.open?.(name, attributes);
  });
  const onText = (text: string): void => listener.text?.(text, open.at(-1) ?? '');
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', ({ name }) => {
    open.pop();
    listener.close?.(name);
  });
  parser.write(part.toString('utf8')).close();
}

/** The name of an element without its prefix, `row` for `x:row`: programs differ in prefixes. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
