import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TypedError } from '../../errors/typed-error.js';
import type { Config } from '../../config/config.js';
import type { TrustedProxies } from '../../platform/net/sender-address.js';
import type { ResolvedLimits } from '../principal.js';

export interface OriginRules {
  /** Origins of other pages that may send requests. */
  allowed?: readonly string[];
  /** The server has names beside the loopback ones: a gateway decides who reaches it. */
  anyHost?: boolean;
  /** Whatever lets the request in is sent by browsers themselves: only this server's own pages may send it, or read by it. */
  ownPages?: boolean;
}

/** Fields of a request's head that show a browser, and the page that made the browser send. */
export interface PageHead {
  method: string;
  host?: string | undefined;
  origin?: string | undefined;
  /** The value of `Sec-Fetch-Site`, which no page can set. */
  site?: string | undefined;
  contentType?: string | undefined;
  hasBody?: boolean;
}

/** Names that browsers never look up. Of `localhost.` some do: the server that answers could rebind it. */
const hostNames = ['localhost', '127.0.0.1', '[::1]'];

const readingMethods = ['GET', 'HEAD', 'OPTIONS'];
/** `Sec-Fetch-Site` of this server's own pages, and of the person in front of the browser. */
const ownSites = ['same-origin', 'none'];
/**
 * Media types that a page may send. JSON needs a preflight from another origin; forms are for
 * files.
 */
const bodyTypes = ['application/json', 'multipart/form-data'];

/**
 * Checks the page that sent a request to a server without API keys. Anybody who reaches the
 * loopback address may run tools: a web page of any site, or of another program on this machine,
 * can make its visitor's browser send requests there; a rebound DNS name can even read the answers.
 * Such requests show in `Host`, `Origin` or `Sec-Fetch-Site`, and are refused. Programs send
 * neither of the last two. Servers with keys need no such rule: no browser sends a key by itself.
 * Pure.
 *
 * @returns 403 `FORBIDDEN_ORIGIN`, or 415 `UNSUPPORTED_MEDIA_TYPE` for a browser's body that is no
 * JSON and no form.
 */
export function checkOrigin(head: PageHead, rules: OriginRules = {}): TypedError | undefined {
  const { host, origin, site } = head;
  if (host === undefined) return foreignHost(host);
  if (rules.anyHost !== true && !hostNames.includes(hostName(host))) return foreignHost(host);
  if (origin === undefined && site === undefined) return undefined;
  const isListed =
    origin !== undefined && rules.ownPages !== true && (rules.allowed ?? []).includes(origin);
  if (origin !== undefined && !isListed && !isOwnOrigin(origin, host)) {
    return foreignPage('Origin', origin, rules);
  }
  if (rules.ownPages !== true && readingMethods.includes(head.method)) return undefined;
  if (site !== undefined && !isListed && !ownSites.includes(site)) {
    return foreignPage('Sec-Fetch-Site', site, rules);
  }
  return head.hasBody === true && !isTaken(head.contentType) ? foreignType() : undefined;
}

function isTaken(contentType: string | undefined): boolean {
  const essence = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return bodyTypes.includes(essence);
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

/**
 * Whether a page's host and port are the request's. The scheme is not compared: a gateway may
 * change it.
 */
function isOwnOrigin(origin: string, host: string): boolean {
  const page = parsePage(origin);
  if (page === undefined) return false;
  const own = `${page.protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === page.host;
}

/** The URL of an http page; undefined for others: an extension may call itself localhost. */
function parsePage(origin: string): URL | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

function foreignHost(host: string | undefined): TypedError {
  return refused(
    `Host '${shorten(host ?? '')}' is not a loopback name. Without API keys, Turnpike answers to 127.0.0.1, localhost and [::1] only.`,
  );
}

function foreignPage(header: string, value: string, { ownPages }: OriginRules): TypedError {
  if (ownPages === true) {
    return refused(
      `${header} '${shorten(value)}' is not this server's own. By the cookie of a log-in, Turnpike takes requests of its own pages alone; another page needs a token.`,
    );
  }
  return refused(
    `${header} '${shorten(value)}' is not this server's own. Without API keys, Turnpike takes requests of its own pages, and of those whose origin is in TURNPIKE_CORS_ORIGINS.`,
  );
}

function foreignType(): TypedError {
  return new TypedError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'A page must send its body as application/json: set the header Content-Type.',
    headers: { Accept: bodyTypes.join(', ') },
  });
}

function refused(message: string): TypedError {
  return new TypedError('FORBIDDEN_ORIGIN', { message });
}

function shorten(value: string): string {
  return value.slice(0, 120);
}

/** The rules by which requests are admitted. */
export interface AccessRules {
  /** Address that the server listens on. */
  host: string;
  allowKeyless: boolean;
  /** Whether a request from this machine may create the first key. */
  takesFirstKey: boolean;
  /** Proxies whose word counts about who sent a request. */
  trustedProxies: TrustedProxies;
  /** Other sites whose pages may send requests. */
  corsOrigins: readonly string[];
  /** Limits of keys without limits of their own. */
  defaultLimits: ResolvedLimits;
}

/** Injects the `AccessRules` of the process. */
export const ACCESS_RULES = Symbol('AccessRules');

/** The rules of a config. Pure. */
export function accessRules(config: Config): AccessRules {
  const { host, allowKeyless, corsOrigins, trustedProxies } = config;
  const { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay } = config;
  return {
    host,
    allowKeyless,
    corsOrigins,
    trustedProxies,
    // The first key needs a single process: anybody who reaches a gateway could create it.
    takesFirstKey: config.databaseUrl === undefined && !allowKeyless,
    defaultLimits: { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay },
  };
}

/** Most different wrong credentials of an address in a minute. */
export const MAX_WRONG_KEYS = 20;
export const WRONG_KEYS_MS = 60_000;

/** Addresses that sent wrong credentials, in this process. */
@Injectable()
export class RefusedAddresses {
  readonly #wrongKeys = new RateLimiterMemory({
    points: MAX_WRONG_KEYS,
    duration: WRONG_KEYS_MS / 1_000,
  });
  /** Each counts once: an old tab that tries its one again and again is no guess. */
  readonly #seen = new RateLimiterMemory({ points: 1, duration: WRONG_KEYS_MS / 1_000 });
  readonly #noted = new RateLimiterMemory({ points: 1, duration: 60 });

  /** @returns ms for which unknown credentials of the address are not looked up; undefined: they are. */
  async waitOf(address: string): Promise<number | undefined> {
    const found = await this.#wrongKeys.get(networkOf(address));
    if (found === null || found.consumedPoints < MAX_WRONG_KEYS) return undefined;
    return found.msBeforeNext;
  }

  /** @param credential what was wrong, or a hash of it. */
  async add(address: string, credential: string): Promise<void> {
    const network = networkOf(address);
    // Nothing is remembered of more of them: a flood has as many as it likes.
    if ((await this.waitOf(address)) !== undefined) return;
    if (await taken(this.#seen, `${network} ${credential}`)) await taken(this.#wrongKeys, network);
  }

  /** Whether a refusal is to be audited: one a minute for each address and action. */
  shouldNote(address: string, action: string): Promise<boolean> {
    return taken(this.#noted, `${action} ${networkOf(address)}`);
  }
}

/** The limiter rejects with a value, which is no error, when the limit is reached. */
function taken(limiter: RateLimiterMemory, address: string): Promise<boolean> {
  return limiter.consume(address).then(
    () => true,
    () => false,
  );
}

/**
 * The network of an address: the owner of an IPv6 address has the 2^64 addresses around it. Pure.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
