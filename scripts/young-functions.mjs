import { rewriteChunks } from './rewrite-chunks.mjs';

/** What V8 takes for the making of a method, as in `Shape.prototype.area = function () {}`. */
const assignments = new Set(['=', '||=', '&&=', '??=']);
const functions = new Set(['FunctionExpression', 'ArrowFunctionExpression']);

/**
 * A plugin that makes `a.b = () => {}` into `a.b = (0, () => {})`, which does the same. V8 allocates a function that
 * is assigned to a property among its old objects, until it optimizes the code around: whatever the function sees is
 * kept until the next full collection, though it is garbage at once. The Redis client does this for each command,
 * and PostgreSQL's for each query.
 *
 * The bundle must not be compressed: that takes the zero away.
 *
 * @returns {import('rolldown').Plugin}
 */
export function youngFunctions() {
  return rewriteChunks('young-functions', (text) => ({
    AssignmentExpression: ({ operator, left, right }) => {
      if (!assignments.has(operator) || left.type !== 'MemberExpression') return;
      if (!functions.has(right.type)) return;
      text.appendLeft(right.start, '(0, ');
      text.appendRight(right.end, ')');
    },
  }));
}
