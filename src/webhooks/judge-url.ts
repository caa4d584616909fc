import { isIP } from 'node:net';
import { addressRule, bareHost, type PrivateHosts } from '../platform/net/address-rule.js';

export type UrlVerdict = { ok: true; url: URL } | { ok: false; problem: string };

/** Hosts that may have private addresses, of the configuration. */
export function privateHostsOf(listed: readonly string[]): PrivateHosts {
  return { anywhere: listed, loopback: [] };
}

/**
 * Judges the URL of an endpoint, when it is given and before each request. The addresses of a name are judged when
 * a connection is made (`publicFetch`). Pure.
 *
 * @param listed hosts that may have private addresses; they may use http as well.
 * @returns `problem` completes "The URL of a webhook …", and repeats nothing of the URL but its host.
 */
export function judgeUrl(text: string, listed: readonly string[]): UrlVerdict {
  if (!URL.canParse(text)) return refuse('must be a URL: https://host/path');
  const url = new URL(text);
  const host = bareHost(url.hostname);
  const isListed = listed.some((entry) => bareHost(entry) === host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isListed)) {
    return refuse('must begin with https://');
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('must have no user and password: requests are signed instead');
  }
  const isLocalName = host === 'localhost' || host.endsWith('.localhost');
  const mayReach = addressRule(privateHostsOf(listed));
  if ((isLocalName && !isListed) || (isIP(host) !== 0 && !mayReach(host, host))) {
    return refuse(
      `names ${host}, which is no public address: the operator may list it in TURNPIKE_EGRESS_PRIVATE_HOSTS`,
    );
  }
  return { ok: true, url };
}

function refuse(problem: string): UrlVerdict {
  return { ok: false, problem };
}
