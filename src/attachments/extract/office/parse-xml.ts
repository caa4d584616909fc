import { SaxesParser } from 'saxes';
import { FileFault } from '../file-fault.js';

/** Of elements inside each other: more is an attack. */
const MOST_DEPTH = 200;

export interface XmlListener {
  open?(name: string, attributes: Record<string, string>): void;
  /** @param name of the element it stands in. */
  text?(text: string, name: string): void;
  close?(name: string): void;
}

/** Reads a part of an office document, element by element; one that is missing has none. */
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
  const tell = (text: string): void => listener.text?.(text, open.at(-1) ?? '');
  parser.on('text', tell);
  parser.on('cdata', tell);
  parser.on('closetag', ({ name }) => {
    open.pop();
    listener.close?.(name);
  });
  parser.write(part.toString('utf8')).close();
}
