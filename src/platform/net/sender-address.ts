import ipaddr from 'ipaddr.js';

/** The proxies before the server whose word counts about who sent a request: how many there are, or where they are. */
export type TrustedProxies = { hops: number } | { networks: readonly Network[] };
type Network = readonly [address: string, bits: number];

/** Nobody's word counts: the sender is who opened the connection. */
export const noProxies: TrustedProxies = { hops: 0 };

/** Proxies that one request can pass. */
const MAX_HOPS = 10;

/**
 * Parses `2`, or networks such as `10.0.0.0/8,fd00::/8,127.0.0.1`. Pure.
 *
 * @returns undefined for text that is neither.
 */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const entries = text.split(',').map((entry) => entry.trim());
  const [first = ''] = entries;
  if (entries.length === 1 && /^\d+$/.test(first)) {
    const hops = Number(first);
    return hops <= MAX_HOPS ? { hops } : undefined;
  }
  const networks = entries.map(parseNetwork);
  return networks.every((one) => one !== undefined) ? { networks } : undefined;
}

function parseNetwork(entry: string): Network | undefined {
  // The library also reads `1` as 0.0.0.1.
  const [host = ''] = entry.split('/');
  if (!host.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(host)) return undefined;
  if (ipaddr.isValidCIDR(entry)) {
    const [base, bits] = ipaddr.parseCIDR(entry);
    return [base.toString(), bits];
  }
  if (!ipaddr.isValid(entry)) return undefined;
  return [entry, host.includes(':') ? 128 : 32];
}

/**
 * The address of who sent a request: the last one that no trusted proxy has. What is written before it may be anybody's
 * invention. Pure.
 *
 * @param head `address` of the connection; of the headers, `X-Forwarded-For` and `Forwarded` (RFC 7239) count. Where both
 *   are there and name two senders, a proxy passed one of them on unread: neither counts.
 */
export function senderAddress(
  { address, rawHeaders }: { address: string; rawHeaders: readonly string[] },
  trusted: TrustedProxies,
): string {
  if ('hops' in trusted && trusted.hops === 0) return address;
  const plain = valuesOf(rawHeaders, 'x-forwarded-for');
  const named = valuesOf(rawHeaders, 'forwarded').map(forOf);
  const [one, other = one] = [plain, named]
    .filter((chain) => chain.length > 0)
    .map((chain) => walk([...chain, address], trusted));
  return one === undefined || one !== other ? address : one;
}

/** @param chain from the one that is farthest to the address of the connection. */
function walk(chain: readonly string[], trusted: TrustedProxies): string {
  let found = chain.at(-1) ?? '';
  for (let hop = 0; hop < chain.length - 1; hop += 1) {
    if (!('hops' in trusted ? hop < trusted.hops : isIn(found, trusted.networks))) return found;
    const next = plainAddress(chain.at(-2 - hop) ?? '');
    // A name that a proxy made up: it is the last one whose word counts.
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

function isIn(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([text, bits]) => {
    const base = ipaddr.parse(text);
    return parsed.kind() === base.kind() && parsed.match(base, bits);
  });
}

/** The values of a header that lists, over all its lines. */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const lines = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name,
  );
  // A comma in quotes is one of the value; RFC 9110 has empty elements ignored.
  const values = lines.flatMap((line) => line.match(/(?:"(?:[^"\\]|\\.)*"|[^,"]|")+/g) ?? []);
  return values.map((value) => value.trim()).filter((value) => value !== '');
}

function forOf(element: string): string {
  return /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(element)?.slice(1).find(Boolean) ?? '';
}

/** An address without its port, as `2001:db8::1` and not as `[2001:db8::1]:80`; undefined: it is none. */
function plainAddress(text: string): string | undefined {
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const isWhole = bare.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(bare);
  return isWhole && ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined;
}
