import type { ShapedPaths } from '../http/errors/error-shape.decorator.js';
import { envelopeShape, type ErrorShape } from '../http/errors/error-shape.js';

/**
 * The shapes of errors by path, also of paths without a route: each has the shape of the nearest paths
 * that it is below, up to their first parameter. Pure.
 */
export class ErrorShapes {
  /** The longest first, each with a final slash. */
  readonly #heads: readonly { head: string; shape: ErrorShape | undefined }[];

  constructor(paths: readonly ShapedPaths[]) {
    this.#heads = paths
      .flatMap(({ patterns, shape }) => patterns.map((one) => ({ head: headOf(one), shape })))
      .filter(({ head }) => head !== '/')
      .toSorted((a, b) => b.head.length - a.head.length);
  }

  of(path: string): ErrorShape {
    const below = `${path.toLowerCase()}/`;
    return this.#heads.find(({ head }) => below.startsWith(head))?.shape ?? envelopeShape;
  }
}

function headOf(pattern: string): string {
  const parts = pattern.toLowerCase().split('/');
  const end = parts.findIndex((part) => part.startsWith(':') || part.startsWith('*'));
  const head = parts.slice(0, end === -1 ? undefined : end).filter((part) => part !== '');
  return head.map((part) => `/${part}`).join('') + '/';
}
