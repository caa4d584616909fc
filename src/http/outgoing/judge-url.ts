import { isIP } from 'node:net';
import type { Config } from '../../config/config.js';
import { bareHost, isWithin, portOf, reachOf } from '../../platform/net/addresses.js';

/** The hosts inside the network that one kind of request may go to. */
export interface InsideHosts {
  /** The variable of the operator that lists them. */
  variable: string;
  /** Entries as in `PrivateHosts`. */
  listed: readonly string[];
}

/** @property isInside whether the URL is at a host that is listed, which may have a private address. */
export type UrlVerdict = { ok: true; url: URL; isInside: boolean } | { ok: false; problem: string };

export function webhookHosts(config: Pick<Config, 'webhookPrivateHosts'>): InsideHosts {
  return { variable: 'TURNPIKE_WEBHOOK_PRIVATE_HOSTS', listed: config.webhookPrivateHosts };
}

/**
 * Judges the URL of an endpoint, when it is given and before each request. The addresses of a name are judged when
 * a connection is made (`publicFetch`). Pure.
 *
 * @param inside hosts that may have private addresses; they may use http as well.
 * @returns `problem` completes "The URL of a webhook …", and repeats nothing of the URL but its host and port.
 */
export function judgeUrl(text: string, { variable, listed }: InsideHosts): UrlVerdict {
  if (!URL.canParse(text)) return refuse('must be a URL: https://host/path');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse('must begin with https://');
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('must have no user and password: requests are signed instead');
  }
  const host = bareHost(url.hostname);
  const reach = reachOf(url, { anywhere: listed, loopback: [] });
  const isInside = reach === 'anywhere';
  const isLocalName = host === 'localhost' || host.endsWith('.localhost');
  const entry = `${url.hostname}:${portOf(url)}`;
  if ((isLocalName && !isInside) || (isIP(host) !== 0 && !isWithin(reach, host))) {
    return refuse(
      `names ${host}, which is no public address. For development, or for a service inside the network, the operator lists ${entry} in ${variable}, which allows http as well`,
    );
  }
  if (url.protocol === 'http:' && !isInside) {
    return refuse(
      `must begin with https://, unless it is inside the network and the operator lists ${entry} in ${variable}`,
    );
  }
  return { ok: true, url, isInside };
}

function refuse(problem: string): UrlVerdict {
  return { ok: false, problem };
}
