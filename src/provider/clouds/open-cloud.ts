import { pathToFileURL } from 'node:url';
import { ConfigError, type Config } from '../../config/config.js';
import { variables } from '../../config/variables.js';
import { findPackage, importPackage, usualPlaces } from '../find-package.js';
import type { MessagesClient, OpenCloud } from '../anthropic/messages-client.js';
import { describeInCloud, modelSent } from './cloud-models.js';
import type { CloudName } from '../../config/variable-forms.js';
import { missingCredentials } from '../provider-errors.js';
import { cloudKinds, type CloudKind } from './cloud-table.js';
import { signedFetch, type AwsCredentialSource } from './signed-fetch.js';

/** The class of a package, whose options differ by cloud. */
type Construct = new (options: object) => MessagesClient;

const NO_PACKAGE = 'in the folder in which you start the server';

/**
 * Finds what a cloud needs: its settings, Anthropic's package for it, and credentials, by the libraries of the cloud.
 *
 * @param find finds a package that is installed.
 * @throws ConfigError that names every setting that is missing, or the npm line of a package.
 */
export async function openCloud(
  name: CloudName,
  config: Config,
  find: typeof findPackage = findPackage,
): Promise<OpenCloud> {
  const kind = cloudKinds[name];
  const faults = kind.needs.flatMap((setting) => faultOf(name, setting, config));
  if (faults.length > 0) throw new ConfigError(faults);
  const file = await find(kind.package);
  if (file === undefined) throw missingPackage(name, kind.package);
  const found: unknown = (await importPackage(file))[kind.client];
  if (typeof found !== 'function') {
    throw new ConfigError([
      `${placeOf(name)} needs ${kind.package}, and the one that is installed has no ${kind.client}: npm install ${kind.package}@latest, ${NO_PACKAGE}`,
    ]);
  }
  const Client = found as Construct;
  const key = config.providerKey ?? (kind.key && config[kind.key]);
  const { own, sign } = await credentialsOf(name, { kind, file, key, config });
  return {
    sign,
    create: (options) => new Client({ ...options, ...own }),
    named: (request) => {
      const { id: model, version } = modelSent(request.model, kind);
      const headers: Record<string, string> = {};
      if (version !== undefined) headers['anthropic-version'] = version;
      return { request: { ...request, model }, headers };
    },
    describe: (model) => describeInCloud(model, kind, config),
  };
}

interface Opening {
  kind: CloudKind;
  /** The entry of Anthropic's package, which brings the libraries of most clouds. */
  file: string;
  key: string | undefined;
  config: Config;
}

/** The client's own options, each given so that none is taken from the environment, and what signs requests. */
async function credentialsOf(
  name: CloudName,
  { kind, file, key, config }: Opening,
): Promise<{ own: object; sign: OpenCloud['sign'] }> {
  const unsigned = (fetchFrom: typeof fetch): typeof fetch => fetchFrom;
  switch (kind.credentials.of) {
    case 'aws': {
      const { awsRegion: region = '', awsWorkspace: workspaceId } = config;
      const own = { awsRegion: region, workspaceId, apiKey: key ?? null };
      if (key !== undefined) return { own, sign: unsigned };
      const source = await openAws(name, file);
      const { service } = kind.credentials;
      return {
        own: { ...own, skipAuth: true },
        sign: (fetchFrom) => signedFetch(fetchFrom, source, { name, service, region }),
      };
    }
    case 'google': {
      const authClient = await openGoogle(name, file);
      const { vertexProject, vertexRegion: region, googleProject, googleWorkspace } = config;
      const vertex = { region, projectId: vertexProject };
      const google = { project: googleProject, workspaceId: googleWorkspace };
      return { own: { authClient, ...(name === 'vertex' ? vertex : google) }, sign: unsigned };
    }
    case 'azure': {
      const entra = key === undefined ? { azureADTokenProvider: await openAzure(name) } : {};
      return { own: { resource: null, apiKey: key ?? null, ...entra }, sign: unsigned };
    }
  }
}

/** One source for the process, which keeps credentials until some minutes before they expire. */
async function openAws(name: CloudName, file: string): Promise<AwsCredentialSource> {
  const { fromNodeProviderChain } = await library(
    name,
    { wanted: '@aws-sdk/credential-providers', beside: [file] },
    ['fromNodeProviderChain'],
  );
  const source = fromNodeProviderChain() as AwsCredentialSource;
  await source().catch((error: unknown) => {
    throw noCredentials(
      name,
      error,
      'set AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a key, or give the machine a role',
    );
  });
  return source;
}

/** The part of Google's client that Anthropic's packages call. */
interface GoogleClient {
  getRequestHeaders(...given: unknown[]): Promise<unknown>;
  getAccessToken(...given: unknown[]): Promise<unknown>;
}

async function openGoogle(name: CloudName, file: string): Promise<GoogleClient> {
  const { GoogleAuth } = await library(name, { wanted: 'google-auth-library', beside: [file] }, [
    'GoogleAuth',
  ]);
  const Auth = GoogleAuth as unknown as new (options: object) => {
    getClient(): Promise<GoogleClient>;
  };
  const auth = new Auth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' });
  const client = await auth.getClient().catch((error: unknown) => {
    throw noCredentials(
      name,
      error,
      'run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS, or give the machine a service account',
    );
  });
  for (const method of ['getRequestHeaders', 'getAccessToken'] as const) {
    const get = client[method].bind(client);
    client[method] = (...given) => orMissing(name, get(...given));
  }
  return client;
}

async function openAzure(name: CloudName): Promise<() => Promise<unknown>> {
  const { DefaultAzureCredential, getBearerTokenProvider } = await library(
    name,
    { wanted: '@azure/identity', beside: [] },
    ['DefaultAzureCredential', 'getBearerTokenProvider'],
  );
  const Credential = DefaultAzureCredential as unknown as new () => unknown;
  const scope = 'https://ai.azure.com/.default';
  const token = getBearerTokenProvider(new Credential(), scope) as () => Promise<unknown>;
  return () => orMissing(name, token());
}

/** Says whose credentials are missing: the client would say that the connection failed. */
function orMissing<T>(name: CloudName, credentials: Promise<T>): Promise<T> {
  return credentials.catch((error: unknown) => {
    throw missingCredentials(name, error);
  });
}

type Exported = (...given: unknown[]) => unknown;

/** Functions and classes of a library. @throws ConfigError for a library, or a version of it, that lacks them. */
async function library<Name extends string>(
  name: CloudName,
  { wanted, beside }: { wanted: string; beside: readonly string[] },
  exports: readonly Name[],
): Promise<Readonly<Record<Name, Exported>>> {
  const places = beside.map((file) => pathToFileURL(file).href);
  const file = await findPackage(wanted, [...places, ...usualPlaces()]);
  if (file === undefined) throw missingPackage(name, wanted);
  const found = await importPackage(file);
  const lacking = exports.find((one) => typeof found[one] !== 'function');
  if (lacking !== undefined) {
    throw new ConfigError([
      `${placeOf(name)} needs ${wanted}, and the one that is installed has no ${lacking}: npm install ${wanted}@latest, ${NO_PACKAGE}`,
    ]);
  }
  return found as Readonly<Record<Name, Exported>>;
}

/** A cloud, and where it is named. */
function placeOf(name: CloudName): string {
  return `"${name}" of TURNPIKE_PROVIDER_PROFILE or TURNPIKE_MAKERS`;
}

/** A setting becomes a part of an address: it must not name another one. */
function faultOf(name: CloudName, setting: CloudKind['needs'][number], config: Config): string[] {
  const value = config[setting];
  const [variable] = variables[setting].names;
  if (value === undefined) {
    return [`${placeOf(name)} needs ${variable}, which is not set`];
  }
  return /^[a-z0-9](?:[\w.:-]*[a-z0-9])?$/i.test(value)
    ? []
    : [`${variable} must be letters, digits, dots, colons and hyphens, and is ${value}`];
}

function missingPackage(name: CloudName, wanted: string): ConfigError {
  const or =
    name === 'foundry' && wanted === '@azure/identity' ? ', or set ANTHROPIC_FOUNDRY_API_KEY' : '';
  return new ConfigError([
    `${placeOf(name)} needs ${wanted}, which is not installed: npm install ${wanted}, ${NO_PACKAGE}${or}`,
  ]);
}

function noCredentials(name: CloudName, error: unknown, remedy: string): ConfigError {
  const why = error instanceof Error ? error.message : String(error);
  return new ConfigError([
    `${placeOf(name)} needs credentials, and none were found (${why}): ${remedy}`,
  ]);
}
