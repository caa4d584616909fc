import { serverToolNames, type ServerTool } from '../storage/shapes/stored-options.js';

const mostUses = 1_000;

/** @returns undefined for text that is not like `web_search=5` or `web_fetch`. */
export function parseServerTool(entry: string): ServerTool | undefined {
  const [name = '', uses, ...more] = entry.split('=').map((part) => part.trim());
  const known = serverToolNames.find((serverTool) => serverTool === name);
  if (known === undefined || more.length > 0) return undefined;
  if (uses === undefined) return { name: known };
  const maxUses = Number(uses);
  // Code execution has no such limit in the API.
  const isValid = /^\d+$/.test(uses) && maxUses >= 1 && maxUses <= mostUses;
  return isValid && known !== 'code_execution' ? { name: known, maxUses } : undefined;
}
