import { type Price, serverToolNames, type ServerTool } from '../storage/shapes/stored-options.js';

const entryForm = /^(\*\.)?([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?$/;

/**
 * Parses an entry of a list of hosts inside the network: `host` (at port 443 or 80), `host:port`, or `host:*` for
 * every port. Undefined when it is not valid.
 */
export function parsePrivateHost(text: string): string | undefined {
  const entry = text.trim().toLowerCase();
  const isValid = entryForm.test(entry.replace(/:\*$/, ':1')) && !entry.startsWith('*');
  return isValid ? entry : undefined;
}

/**
 * Parses an entry of a list of hosts: `mcp.example.com`, or `*.example.com` for all below it, each with
 * an optional `:port` (default: any). Undefined when it is not valid.
 */
export function parseHostEntry(text: string): string | undefined {
  const entry = text.trim().toLowerCase();
  return entryForm.test(entry) && entry !== '*.' ? entry : undefined;
}

/**
 * The origin of an entry of `TURNPIKE_EGRESS_ALLOW`: `https://Host:443/` → `https://host`. Undefined for text that
 * is no URL, and for a path, a query or credentials. Who may be reached by `http://` depends on other variables.
 */
export function parseAllowedOrigin(entry: string): string | undefined {
  const text = entry.trim();
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.href !== `${url.origin}/`) return undefined;
  return ['https:', 'http:'].includes(url.protocol) ? url.origin : undefined;
}

/** Whether a text is a URL to which names of files can be added. */
export function isBucketUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && search + hash + username === '';
}

export interface ModelPrice extends Price {
  /** The beginning of names of models. */
  model: string;
}

/** Parses `claude-opus=15/75,claude-sonnet=3/15`; undefined for malformed text. */
export function parsePrices(text: string): readonly ModelPrice[] | undefined {
  const prices = text.split(',').map((item) => {
    const [, model, input, output] = /^\s*([^=\s]+)=([\d.]+)\/([\d.]+)\s*$/.exec(item) ?? [];
    return { model: model ?? '', input: Number(input), output: Number(output) };
  });
  const isValid = ({ model, input, output }: ModelPrice): boolean =>
    model !== '' && Number.isFinite(input) && Number.isFinite(output);
  return prices.every(isValid) ? prices : undefined;
}

/** The price with the longest matching beginning; undefined where none matches. */
export function findPrice(prices: readonly ModelPrice[], model: string): Price | undefined {
  const fitting = prices.filter((price) => model.startsWith(price.model));
  const [longest] = fitting.sort((a, b) => b.model.length - a.model.length);
  return longest && { input: longest.input, output: longest.output };
}

const MAX_USES = 1_000;

/** @returns undefined for text that is not like `web_search=5` or `web_fetch`. */
export function parseServerTool(entry: string): ServerTool | undefined {
  const [name = '', uses, ...more] = entry.split('=').map((part) => part.trim());
  const known = serverToolNames.find((serverTool) => serverTool === name);
  if (known === undefined || more.length > 0) return undefined;
  if (uses === undefined) return { name: known };
  const maxUses = Number(uses);
  // Code execution has no such limit in the API.
  const isValid = /^\d+$/.test(uses) && maxUses >= 1 && maxUses <= MAX_USES;
  return isValid && known !== 'code_execution' ? { name: known, maxUses } : undefined;
}

/** A maker of models, and the address of its API where it is not the usual one. */
export interface ListedMaker {
  name: string;
  url?: string;
  /** The npm package of a maker that is not in the table. */
  package?: string;
}

/**
 * Parses `openai`, `local=http://host:port/v1` and `cerebras=@ai-sdk/cerebras@https://host/v1`; undefined for malformed
 * text.
 */
export function parseMaker(text: string): ListedMaker | undefined {
  const form = /^\s*([a-z0-9-]+)\s*(?:=\s*(?:((?:@[\w.-]+\/)?[\w.-]+)@)?(https?:\S+))?\s*$/;
  const [, name = '', named, url] = form.exec(text) ?? [];
  if (name === '') return undefined;
  if (url === undefined) return { name };
  if (!isBucketUrl(url)) return undefined;
  return { name, url: url.replace(/\/+$/, ''), ...(named !== undefined && { package: named }) };
}

/** Parses `cerebras=key,together=key`; undefined for malformed text. */
export function parseMakerKeys(text: string): ReadonlyMap<string, string> | undefined {
  const entries = text.split(',').map((entry): [string, string] => {
    const [, name = '', key = ''] = /^\s*([a-z0-9-]+)=(\S+)\s*$/.exec(entry) ?? [];
    return [name, key];
  });
  return entries.every(([name]) => name !== '') ? new Map(entries) : undefined;
}

/** The clouds that have Claude, as `TURNPIKE_PROVIDER_PROFILE` names them. */
export const cloudNames = [
  'bedrock',
  'mantle',
  'aws',
  'vertex',
  'google-cloud',
  'foundry',
] as const;
export type CloudName = (typeof cloudNames)[number];

export function isCloud(name: string): name is CloudName {
  return cloudNames.some((cloud) => cloud === name);
}

/** The places of Claude that models may be named after, beside the server's own: `bedrock/claude-…`. */
export function isPlaceOfClaude(name: string): name is CloudName | 'anthropic' {
  return name === 'anthropic' || isCloud(name);
}
