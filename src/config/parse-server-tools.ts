import { serverToolNames, type ServerTool } from '../storage/shapes/stored-tools.js';

const mostUses = 1_000;

/** @returns undefined for text that is not `web_search=5,web_fetch,code_execution`. */
export function parseServerTools(text: string): readonly ServerTool[] | undefined {
  const items = text.split(',').map((item) => item.trim());
  const tools = items.filter((item) => item !== '').map(parseServerTool);
  const known = tools.filter((tool) => tool !== undefined);
  const names = new Set(known.map(({ name }) => name));
  return known.length === tools.length && names.size === known.length ? known : undefined;
}

function parseServerTool(item: string): ServerTool | undefined {
  const [name = '', uses, ...more] = item.split('=').map((part) => part.trim());
  const known = serverToolNames.find((serverTool) => serverTool === name);
  if (known === undefined || more.length > 0) return undefined;
  if (uses === undefined) return { name: known };
  const maxUses = Number(uses);
  // Code execution has no such limit in the API.
  const isValid = /^\d+$/.test(uses) && maxUses >= 1 && maxUses <= mostUses;
  return isValid && known !== 'code_execution' ? { name: known, maxUses } : undefined;
}
