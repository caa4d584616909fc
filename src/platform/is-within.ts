import path from 'node:path';

/** Whether a path is `folder` or inside it. Compares names alone: links are resolved by the caller. */
export function isWithin(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
