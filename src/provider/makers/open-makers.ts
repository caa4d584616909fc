import { ConfigError, type Config } from '../../config/config.js';
import { cloudNames, isPlaceOfClaude, parseMakerKeys } from '../../config/variable-forms.js';
import { variables } from '../../config/variables.js';
import type { Clock } from '../../platform/clock.js';
import { isLoopbackHttp } from '../../platform/net/addresses.js';
import { secretRedactor } from '../../platform/text/redact.js';
import type { Tracing } from '../../telemetry/tracing.js';
import { privateHostsOf } from '../anthropic/check-egress.js';
import { makerFetch } from './maker-fetch.js';
import { MakerProvider } from './maker-provider.js';
import { makerKinds, makerNames, makerOfPackage, type MakerKind } from './maker-table.js';
import { openMaker } from './open-maker.js';

/** Opens the makers that are listed. @throws ConfigError that names every one that is not ready. */
export async function openMakers(
  config: Config,
  parts: { clock: Clock; tracing: Pick<Tracing, 'start'> },
): Promise<ReadonlyMap<string, MakerProvider>> {
  const listed = config.makers.filter(
    (maker) => maker.package !== undefined || !isPlaceOfClaude(maker.name),
  );
  const faults = listed.flatMap((maker) => faultOf(maker, config));
  if (faults.length > 0) throw new ConfigError(faults);
  const opened = listed.map(async (maker) => {
    const { name } = maker;
    const kind = kindOf(maker);
    if (kind === undefined) throw new ConfigError(faultOf(maker, config));
    const [keyVariable] = variables[kind.key].names;
    const apiKey = keyOf(name, kind, config);
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

/**
 * The makers that are listed, each at the address of the offline model, with a path that begins with its name and ends
 * as its own.
 *
 * @throws ConfigError for a maker that nobody knows.
 */
export function rehearsedMakers(config: Config, rehearsalUrl: string): Config {
  const listed = config.makers.filter(
    (maker) => maker.package !== undefined || !isPlaceOfClaude(maker.name),
  );
  const makers = listed.map((maker) => {
    const kind = kindOf(maker);
    if (kind === undefined) throw new ConfigError(faultOf(maker, config));
    const { pathname } = new URL(maker.url ?? kind.url ?? 'http://local/v1');
    return { ...maker, url: `${rehearsalUrl}/${maker.name}${pathname.replace(/\/$/, '')}` };
  });
  const keys = Object.fromEntries(makerNames.map((name) => [makerKinds[name].key, REHEARSAL_KEY]));
  const makerKeys = makers.map(({ name }) => `${name}=${REHEARSAL_KEY}`).join(',');
  return { ...config, ...keys, makers, makerKeys };
}

/** Sent to the offline model, in place of the operator's keys. */
const REHEARSAL_KEY = 'rehearsal';

type Listed = Config['makers'][number];

function kindOf({ name, package: named }: Listed): MakerKind | undefined {
  if (named !== undefined) return makerOfPackage(named);
  const known = makerNames.find((one) => one === name);
  return known && makerKinds[known];
}

function keyOf(name: string, { key }: MakerKind, config: Config): string | undefined {
  return key === 'makerKeys' ? parseMakerKeys(config.makerKeys ?? '')?.get(name) : config[key];
}

function faultOf(maker: Listed, config: Config): string[] {
  const { name, url } = maker;
  const kind = kindOf(maker);
  if (kind === undefined) {
    return [
      `TURNPIKE_MAKERS has ${name}, which is none of ${[...makerNames, 'anthropic', ...cloudNames].join(', ')}; name any other by its package and address: ${name}=PACKAGE@https://host/v1`,
    ];
  }
  if (kind.key === 'makerKeys' && [...makerNames, 'anthropic', ...cloudNames].includes(name)) {
    return [
      `TURNPIKE_MAKERS has a package for ${name}, which has one of its own; choose another name`,
    ];
  }
  const address = url ?? kind.url;
  if (address === undefined) {
    return [`TURNPIKE_MAKERS has ${name} without an address; write ${name}=http://host:port/v1`];
  }
  const { protocol, hostname } = new URL(address);
  const isPlain = protocol === 'http:' && !isLoopbackHttp(new URL(address));
  const { key } = kind;
  const needed =
    key === 'makerKeys'
      ? `${variables[key].names[0]} has no ${name}=KEY`
      : `${variables[key].names[0]} is not set`;
  return [
    ...(isPlain && !config.egressPrivateHosts.includes(hostname)
      ? [
          `TURNPIKE_MAKERS has ${address}, where everybody on the way can read what is sent; use https, or list ${hostname} in TURNPIKE_EGRESS_PRIVATE_HOSTS if it is inside of your network`,
        ]
      : []),
    ...(key !== 'localKey' && keyOf(name, kind, config) === undefined
      ? [`TURNPIKE_MAKERS has ${name}, and ${needed}`]
      : []),
  ];
}
