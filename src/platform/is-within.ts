import path from 'node:path';

/** Whether a path is `folder` or lies inside it, by their names alone: links are the caller's. */
export function isWithin(folder: string, one: string): boolean {
  const relative = path.relative(folder, one);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
