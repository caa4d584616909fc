import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const PAGE_BYTES = 4_096;

/** Memory of another process, in bytes; 0 when it is gone. */
export async function residentBytes(pid: number): Promise<number> {
  try {
    if (process.platform === 'linux') {
      const pages = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1];
      return Number(pages) * PAGE_BYTES;
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout.trim()) * 1_024;
  } catch {
    // It ended between two looks: its exit says the rest.
    return 0;
  }
}
