import { ConfigError, type Config } from '../../config/config.js';
import { cloudNames, isPlaceOfClaude } from '../../config/variable-forms.js';
import { variables } from '../../config/variables.js';
import type { Clock } from '../../platform/clock.js';
import { isLoopbackHttp } from '../../platform/net/addresses.js';
import { secretRedactor } from '../../platform/text/redact.js';
import type { Tracing } from '../../telemetry/tracing.js';
import { privateHostsOf } from '../anthropic/check-egress.js';
import { makerFetch } from './maker-fetch.js';
import { MakerProvider } from './maker-provider.js';
import { makerKinds, makerNames, type MakerName } from './maker-table.js';
import { openMaker } from './open-maker.js';

/** Opens the makers that are listed. @throws ConfigError that names every one that is not ready. */
export async function openMakers(
  config: Config,
  parts: { clock: Clock; tracing: Pick<Tracing, 'start'> },
): Promise<ReadonlyMap<string, MakerProvider>> {
  const listed = config.makers.filter(({ name }) => !isPlaceOfClaude(name));
  const faults = listed.flatMap((maker) => faultOf(maker, config));
  if (faults.length > 0) throw new ConfigError(faults);
  const opened = listed.map(async (maker) => {
    const name = maker.name as MakerName;
    const kind = makerKinds[name];
    const [keyVariable] = variables[kind.key].names;
    const apiKey = config[kind.key];
    const url = maker.url ?? kind.url ?? '';
    const { origin } = new URL(url);
    const privateHosts = privateHostsOf(origin, config.egressPrivateHosts);
    const open = await openMaker(name, kind, {
      ...(apiKey === undefined ? {} : { apiKey }),
      baseURL: url,
      fetch: makerFetch(name, { origin, privateHosts }),
    });
    const redact = secretRedactor(apiKey === undefined ? [] : [apiKey]);
    const errors = { maker: name, keyVariable, redact };
    const { stallTimeoutMs, requestTimeoutMs, providerRetries: maxRetries } = config;
    const limits = { stallTimeoutMs, requestTimeoutMs, maxRetries };
    return [
      name,
      new MakerProvider({ name, kind, url, open, errors, ...limits, ...parts }),
    ] as const;
  });
  return new Map(await Promise.all(opened));
}

function faultOf({ name, url }: Config['makers'][number], config: Config): string[] {
  const known = makerNames.find((one) => one === name);
  if (known === undefined) {
    return [
      `TURNPIKE_MAKERS has ${name}, which is none of ${[...makerNames, 'anthropic', ...cloudNames].join(', ')}`,
    ];
  }
  const address = url ?? makerKinds[known].url;
  if (address === undefined) {
    return [`TURNPIKE_MAKERS has ${name} without an address; write ${name}=http://host:port/v1`];
  }
  const { protocol, hostname } = new URL(address);
  const isPlain = protocol === 'http:' && !isLoopbackHttp(new URL(address));
  const { key } = makerKinds[known];
  return [
    ...(isPlain && !config.egressPrivateHosts.includes(hostname)
      ? [
          `TURNPIKE_MAKERS has ${address}, where everybody on the way can read what is sent; use https, or list ${hostname} in TURNPIKE_EGRESS_PRIVATE_HOSTS if it is inside of your network`,
        ]
      : []),
    ...(known !== 'local' && config[key] === undefined
      ? [`TURNPIKE_MAKERS has ${name}, and ${variables[key].names[0]} is not set`]
      : []),
  ];
}
