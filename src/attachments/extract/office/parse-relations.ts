import path from 'node:path/posix';
import { parseXml } from './parse-xml.js';

/** The parts of an office document, by name. */
export type Parts = ReadonlyMap<string, Buffer>;

export interface Relation {
  id: string;
  type: string;
  /** Name of the part that is referred to. */
  target: string;
}

/** The relations of a part of an office document. */
export function parseRelations(parts: Parts, part: string): Relation[] {
  const folder = path.dirname(part);
  const relations: Relation[] = [];
  parseXml(parts.get(`${folder}/_rels/${path.basename(part)}.rels`), {
    open: (name, { Id: id = '', Type: type = '', Target: target = '' }) => {
      if (name !== 'Relationship') return;
      const isAbsolute = target.startsWith('/');
      relations.push({
        id,
        type,
        target: isAbsolute ? target.slice(1) : path.join(folder, target),
      });
    },
  });
  return relations;
}
