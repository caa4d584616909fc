import { RolldownMagicString } from 'rolldown';
import { Visitor, parseSync } from 'rolldown/utils';

/**
 * A plugin that rewrites the chunks of a bundle where their syntax asks for it.
 *
 * @param {string} name
 * @param {(text: RolldownMagicString) => import('rolldown/utils').VisitorObject} visit makes the visitor of a
 *   chunk, which edits its text.
 * @returns {import('rolldown').Plugin}
 */
export function rewriteChunks(name, visit) {
  return {
    name,
    renderChunk(code, { fileName }) {
      const { program, errors } = parseSync(fileName, code);
      if (errors.length > 0) throw new Error(`${fileName}: ${errors[0]?.message}`);
      const text = new RolldownMagicString(code);
      new Visitor(visit(text)).visit(program);
      return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }).toString() };
    },
  };
}
