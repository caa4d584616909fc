import { pathToFileURL } from 'node:url';
import { ConfigError, type Config } from '../../config/config.js';
import { variables } from '../../config/variables.js';
import { findPackage, importPackage, usualPlaces } from '../find-package.js';
import type { MessagesClient, OpenCloud } from '../anthropic/messages-client.js';
import { describeInCloud, modelSent } from './cloud-models.js';
import type { CloudName } from '../../config/variable-forms.js';
import { cloudKinds, type CloudKind } from './cloud-table.js';
import { signedFetch, type AwsCredentialSource } from './signed-fetch.js';

/** What the package's class is made with. */
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
      `TURNPIKE_PROVIDER_PROFILE is "${name}", and the ${kind.package} that is installed has no ${kind.client}: npm install ${kind.package}@latest, ${NO_PACKAGE}`,
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
      const headers = version === undefined ? {} : { 'anthropic-version': version };
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
  const { fromNodeProviderChain } = await library(name, '@aws-sdk/credential-providers', [file]);
  const source = call(fromNodeProviderChain) as AwsCredentialSource;
  await source().catch((error: unknown) => {
    throw noCredentials(
      name,
      error,
      'set AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a key, or give the machine a role',
    );
  });
  return source;
}

async function openGoogle(name: CloudName, file: string): Promise<unknown> {
  const { GoogleAuth } = await library(name, 'google-auth-library', [file]);
  const Auth = GoogleAuth as new (options: object) => { getClient(): Promise<unknown> };
  const auth = new Auth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' });
  return auth.getClient().catch((error: unknown) => {
    throw noCredentials(
      name,
      error,
      'run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS, or give the machine a service account',
    );
  });
}

async function openAzure(name: CloudName): Promise<unknown> {
  const entra = await library(name, '@azure/identity', []);
  const Credential = entra['DefaultAzureCredential'] as new () => unknown;
  return call(entra['getBearerTokenProvider'], new Credential(), 'https://ai.azure.com/.default');
}

/** What a library of a cloud exports. @param files beside whose packages it may be. */
async function library(
  name: CloudName,
  wanted: string,
  files: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const beside = files.map((file) => pathToFileURL(file).href);
  const file = await findPackage(wanted, [...beside, ...usualPlaces()]);
  if (file === undefined) throw missingPackage(name, wanted);
  return importPackage(file);
}

function call(exported: unknown, ...given: unknown[]): unknown {
  if (typeof exported !== 'function') throw new TypeError('A library of the cloud has changed');
  return (exported as (...given: unknown[]) => unknown)(...given);
}

/** A setting becomes a part of an address: it must not name another one. */
function faultOf(name: CloudName, setting: CloudKind['needs'][number], config: Config): string[] {
  const value = config[setting];
  const [variable] = variables[setting].names;
  if (value === undefined) {
    return [`TURNPIKE_PROVIDER_PROFILE is "${name}", and ${variable} is not set`];
  }
  return /^[a-z0-9](?:[\w.:-]*[a-z0-9])?$/i.test(value)
    ? []
    : [`${variable} must be letters, digits, dots, colons and hyphens, and is ${value}`];
}

function missingPackage(name: CloudName, wanted: string): ConfigError {
  const or =
    name === 'foundry' && wanted === '@azure/identity' ? ', or set ANTHROPIC_FOUNDRY_API_KEY' : '';
  return new ConfigError([
    `TURNPIKE_PROVIDER_PROFILE is "${name}", and ${wanted} is not installed: npm install ${wanted}, ${NO_PACKAGE}${or}`,
  ]);
}

function noCredentials(name: CloudName, error: unknown, remedy: string): ConfigError {
  const why = error instanceof Error ? error.message : String(error);
  return new ConfigError([
    `TURNPIKE_PROVIDER_PROFILE is "${name}", and no credentials were found (${why}): ${remedy}`,
  ]);
}
