import type { MemoryState } from './memory-file.js';

/** @returns why the memory has no room for a write, and what to do. Pure. */
export function checkQuota(
  { files, quota }: Pick<MemoryState, 'files' | 'quota'>,
  path: string,
  content: string,
): string | undefined {
  const bytes = Buffer.byteLength(content);
  const before = files.get(path);
  const others = [...files.values()].reduce((sum, file) => sum + file.bytes, -(before?.bytes ?? 0));
  if (bytes > quota.fileBytes) {
    return full(
      `the file would have ${bytes} bytes, and may have ${quota.fileBytes}`,
      'Store less',
    );
  }
  // A write that makes a file smaller is always taken: the limits may have been lowered.
  if (before !== undefined && bytes <= before.bytes) return undefined;
  if (before === undefined && files.size >= quota.files) {
    return full(`there are ${files.size} files, and there may be ${quota.files}`, deleteFirst);
  }
  if (others + bytes > quota.bytes) {
    const all = `all files would have ${others + bytes} bytes, and may have ${quota.bytes}`;
    return full(all, deleteFirst);
  }
  return undefined;
}

const deleteFirst = 'Delete or shorten files that are no longer of use';

function full(why: string, advice: string): string {
  return `${why}. ${advice}, then write again.`;
}
