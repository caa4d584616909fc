import type { Config } from '../config/config.js';
import type { MemoryQuota } from './commands/memory-file.js';

export type QuotaConfig = Pick<Config, 'memoryFiles' | 'memoryFileBytes' | 'memoryBytes'>;

export function quotaOf({
  memoryFiles: files,
  memoryFileBytes: fileBytes,
  memoryBytes: bytes,
}: QuotaConfig): MemoryQuota {
  return { files, fileBytes, bytes };
}
