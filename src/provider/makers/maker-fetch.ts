import { printExactInside } from '../../platform/exact-json.js';
import { publicFetch } from '../../platform/net/public-fetch.js';
import { refusedHost, type PrivateHosts } from '../../platform/net/addresses.js';
import { untraced } from '../../telemetry/tracing.js';
import { addressViolation, policyViolation } from '../anthropic/check-egress.js';
import { providerError } from '../provider-errors.js';

/** The setting that has the makers' addresses. */
const SETTING = 'TURNPIKE_MAKERS';

/**
 * The `fetch` of a maker's package: to its origin alone, to public addresses unless the operator lists the host, without
 * redirects. An answer that is no stream of events is an error: a page of HTML would be read as an empty reply.
 */
export function makerFetch(
  maker: string,
  { origin, privateHosts }: { origin: string; privateHosts: PrivateHosts },
): typeof fetch {
  const send = publicFetch({ privateHosts });
  const refused = (what: string, facts: Record<string, unknown>) =>
    policyViolation(`${maker}: ${what}`, facts, `Correct its address in ${SETTING}`, maker);
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) {
      throw refused('A request would have left the allowed origin', {
        host: url.hostname,
        allowlist: [origin],
      });
    }
    const { body } = init;
    const exact = typeof body === 'string' ? { body: printExactInside(body) } : {};
    const response = await untraced(() => send(url, { ...init, ...exact })).catch(
      (error: unknown) => {
        const host = refusedHost(error);
        throw host === undefined ? error : addressViolation(host, SETTING, maker);
      },
    );
    if (response.status >= 300 && response.status < 400) {
      throw refused('It answered with a redirect, which is never followed', {
        upstreamStatus: response.status,
      });
    }
    const type = response.headers.get('content-type') ?? 'nothing';
    if (response.status === 200 && !type.startsWith('text/event-stream')) {
      throw providerError({
        case: 'unreadable',
        category: 'API_RESPONSE_ERROR',
        provider: maker,
        message: `${maker} answered with ${type.slice(0, 100)} instead of an event stream. Check its address in TURNPIKE_MAKERS.`,
      });
    }
    // Undici's and Node's own are the same class by their fields.
    return response as Response;
  };
}
