import { AwsV4Signer } from 'aws4fetch';
import { missingCredentials } from '../provider-errors.js';

/** Credentials of Amazon's tools. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** The token of credentials that expire. Absent: they do not. */
  sessionToken?: string;
}

/** Gives credentials that hold for some minutes at least. `forceRefresh`: others than before. */
export type AwsCredentialSource = (options?: { forceRefresh?: boolean }) => Promise<AwsCredentials>;

export interface SigningFor {
  /** The profile, for errors. */
  name: string;
  service: string;
  region: string;
}

/**
 * A `fetch` that signs each request by Amazon's Signature Version 4, as its bytes leave: a signature made before would
 * not fit the numbers that are printed exactly, and the headers that are left out. Where temporary credentials have
 * expired early, they are renewed, and the request is sent once more.
 *
 * @throws (the fetch) 503 `MISSING_API_KEY` where the source has no credentials; what `fetchFrom` throws.
 */
export function signedFetch(
  fetchFrom: typeof fetch,
  source: AwsCredentialSource,
  { name, ...scope }: SigningFor,
): typeof fetch {
  const cache = new Map<string, ArrayBuffer>();
  const send = async (
    input: Parameters<typeof fetch>[0],
    init: RequestInit,
    forceRefresh: boolean,
  ) => {
    const credentials = await source({ forceRefresh }).catch((error: unknown) => {
      throw missingCredentials(name, error);
    });
    const { body, method = 'GET' } = init;
    const signer = new AwsV4Signer({
      ...scope,
      ...credentials,
      cache,
      url: input instanceof Request ? input.url : input.toString(),
      method,
      ...(init.headers === undefined ? {} : { headers: init.headers }),
      ...(typeof body === 'string' ? { body } : {}),
    });
    const { headers } = await signer.sign();
    return { answer: await fetchFrom(input, { ...init, headers }), credentials };
  };
  return async (input, init = {}) => {
    const { answer, credentials } = await send(input, init, false);
    if (credentials.sessionToken === undefined || !(await hasExpired(answer))) return answer;
    return (await send(input, init, true)).answer;
  };
}

/** Whether an answer says that the token of the credentials is too old. */
async function hasExpired(answer: Response): Promise<boolean> {
  if (answer.status !== 403) return false;
  const type = answer.headers.get('x-amzn-errortype') ?? '';
  return /ExpiredToken/.test(type) || /token[^.]*expired/i.test(await answer.clone().text());
}
