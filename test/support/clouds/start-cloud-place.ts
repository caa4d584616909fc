import type { IncomingMessage, ServerResponse } from 'node:http';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import type { CloudName } from '../../../src/config/variable-forms.js';
import { serveHttp } from '../serve-http.js';
import { chunkFrame, exceptionFrame } from './aws-frames.js';
import { signatureFault, type Expected } from './check-signature.js';

type Json = Record<string, unknown>;

/** Credentials that the place knows. */
export const aws = {
  region: 'eu-west-1',
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'secret+of/aws',
  sessionToken: 'session-token-of-aws',
};
export const TOKEN = 'ya29.token-of-google';
export const KEY = 'key-of-the-cloud-123';

/** A request as it came, and what was wrong with it. */
export interface CloudRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Json;
  /** The body as it came. */
  text: string;
  fault: string | undefined;
}

/** What the place does beside what it should, by the number of the request. */
export interface CloudManner {
  /** Answers a request by itself. @returns whether it did. */
  answer?(response: ServerResponse, nth: number): boolean;
  /** Ends a stream of Bedrock with an exception, after this many events. */
  cutAfter?: { events: number; type: string };
  /** The machine gives no tokens of Google. */
  hasNoTokens?: boolean;
  /** Spoils a checksum of Bedrock's frames. */
  isSpoilt?: boolean;
  /** Bytes of each piece of an answer. Absent: an event a piece. */
  pieces?: number;
}

export interface CloudPlace {
  /** The address, as `TURNPIKE_PROVIDER_BASE_URL` has it. */
  url: string;
  requests: CloudRequest[];
  manner: CloudManner;
  /** Variables with which a server has the credentials. */
  environment: Record<string, string>;
  close(): Promise<void>;
}

interface Rules {
  base: string;
  environment: Record<string, string>;
  /** The path of a call and of a count, under `base`. */
  call: RegExp;
  count?: RegExp;
  /** Whether the path has the model, and the body the version. */
  modelInPath?: boolean;
  /** What the headers lack. */
  authFault(request: IncomingMessage, body: string): string | undefined;
  old?: string;
  hasModels?: boolean;
}

const signed =
  (service: string) =>
  (request: IncomingMessage, body: string): string | undefined => {
    const expected: Expected = { service, ...aws };
    return signatureFault(request, body, expected);
  };
const bearer =
  (token: string) =>
  ({ headers }: IncomingMessage): string | undefined =>
    headers.authorization === `Bearer ${token}`
      ? undefined
      : `authorization ${headers.authorization}`;

const awsEnvironment = {
  AWS_REGION: aws.region,
  AWS_ACCESS_KEY_ID: aws.accessKeyId,
  AWS_SECRET_ACCESS_KEY: aws.secretAccessKey,
  AWS_SESSION_TOKEN: aws.sessionToken,
};

const rules: Readonly<Record<CloudName, Rules>> = {
  bedrock: {
    base: '',
    environment: awsEnvironment,
    call: /^\/model\/([^/]+)\/invoke-with-response-stream$/,
    modelInPath: true,
    authFault: signed('bedrock'),
    old: 'bedrock-2023-05-31',
  },
  mantle: {
    base: '/anthropic',
    environment: awsEnvironment,
    call: /^\/anthropic\/v1\/messages$/,
    count: /^\/anthropic\/v1\/messages\/count_tokens$/,
    authFault: signed('bedrock-mantle'),
  },
  aws: {
    base: '',
    environment: { ...awsEnvironment, ANTHROPIC_AWS_WORKSPACE_ID: 'wrkspc_1' },
    call: /^\/v1\/messages$/,
    count: /^\/v1\/messages\/count_tokens$/,
    authFault: (request, body) =>
      request.headers['anthropic-workspace-id'] === 'wrkspc_1'
        ? signed('aws-external-anthropic')(request, body)
        : 'anthropic-workspace-id',
    hasModels: true,
  },
  vertex: {
    base: '/v1',
    environment: { ANTHROPIC_VERTEX_PROJECT_ID: 'my-project', CLOUD_ML_REGION: 'europe-west1' },
    call: /^\/v1\/projects\/my-project\/locations\/europe-west1\/publishers\/anthropic\/models\/([^/:]+):streamRawPredict$/,
    count: /\/models\/count-tokens:rawPredict$/,
    modelInPath: true,
    authFault: bearer(TOKEN),
    old: 'vertex-2023-10-16',
  },
  'google-cloud': {
    base: '/v1/projects/my-project/locations/global/workspaces/w1/invoke',
    environment: {
      ANTHROPIC_GOOGLE_CLOUD_PROJECT: 'my-project',
      ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID: 'w1',
    },
    call: /\/workspaces\/w1\/invoke\/v1\/messages$/,
    count: /\/workspaces\/w1\/invoke\/v1\/messages\/count_tokens$/,
    authFault: bearer(TOKEN),
    hasModels: true,
  },
  foundry: {
    base: '/anthropic',
    environment: { ANTHROPIC_FOUNDRY_RESOURCE: 'my-resource', ANTHROPIC_FOUNDRY_API_KEY: KEY },
    call: /^\/anthropic\/v1\/messages$/,
    count: /^\/anthropic\/v1\/messages\/count_tokens$/,
    authFault: ({ headers }) =>
      headers.authorization === `Bearer ${KEY}` || headers['x-api-key'] === KEY
        ? undefined
        : 'the key',
  },
};

/**
 * A cloud that has Claude, as strict as its documents: path, signature or token, version and model where they belong,
 * none of the features that it lacks. What it takes is answered by the rehearsal, over the cloud's own framing.
 */
export async function startCloudPlace(cloud: CloudName): Promise<CloudPlace> {
  const rule = rules[cloud];
  const rehearsal = await startRehearsal();
  const requests: CloudRequest[] = [];
  const manner: CloudManner = {};
  const place = await serveHttp(async (request, response) => {
    if (isMetadata(request)) return answerMetadata(request, response, manner);
    let text = '';
    for await (const piece of request) text += String(piece);
    const body = text === '' ? {} : (JSON.parse(text) as Json);
    const fault = faultOf(rule, request, text, body);
    const { url: path = '', headers } = request;
    requests.push({ path, headers, body, text, fault: fault?.[1] });
    if (manner.answer?.(response, requests.length) === true) return;
    if (fault !== undefined) return refuse(response, fault, cloud);
    const sent = canonical(rule, path, body);
    const answer = await fetch(rehearsal.url + routeOf(rule, path), {
      method: request.method ?? 'GET',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer any',
        'anthropic-version': '2026-10-21',
      },
      ...(request.method === 'POST' ? { body: JSON.stringify(sent) } : {}),
    });
    const isFramed = cloud === 'bedrock' && answer.status === 200;
    const type = isFramed
      ? 'application/vnd.amazon.eventstream'
      : (answer.headers.get('content-type') ?? '');
    response.writeHead(answer.status, { 'content-type': type, 'x-amzn-requestid': 'amzn-1' });
    await relay(answer, response, isFramed, manner);
  });
  const environment = {
    ...rule.environment,
    // The libraries of Google ask the machine that they run on.
    GCE_METADATA_HOST: new URL(place.url).host,
    METADATA_SERVER_DETECTION: 'assume-present',
    TURNPIKE_PROVIDER_PROFILE: cloud,
    TURNPIKE_PROVIDER_BASE_URL: place.url + rule.base,
  };
  const close = async (): Promise<void> => {
    await place.close();
    await rehearsal.close();
  };
  return { url: place.url + rule.base, requests, manner, environment, close };
}

type Fault = readonly [status: number, message: string];

function faultOf(
  rule: Rules,
  request: IncomingMessage,
  text: string,
  body: Json,
): Fault | undefined {
  const { headers } = request;
  const [path = ''] = (request.url ?? '').split('?');
  const denied = rule.authFault(request, text);
  if (denied !== undefined) return [403, denied];
  if (rule.hasModels === true && request.method === 'GET' && path.includes('/v1/models'))
    return undefined;
  const model = rule.call.exec(path)?.[1];
  const isCount = rule.count?.test(path) === true;
  if (!rule.call.test(path) && !isCount) return [404, `no route ${path}`];
  const stray = Object.keys(headers).find((name) =>
    /^(?:anthropic-beta|anthropic-dangerous|traceparent)/.test(name),
  );
  if (stray !== undefined) return [400, `the header ${stray}`];
  if (rule.modelInPath !== true) {
    return headers['anthropic-version'] === '2026-10-21'
      ? bodyFault(rule, body)
      : [400, 'the version'];
  }
  if (headers['anthropic-version'] !== undefined) return [400, 'the version is a header'];
  if (!isCount && ('model' in body || (rule.base === '' && 'stream' in body))) {
    return [400, 'model and stream are no part of the body'];
  }
  const name = decodeURIComponent(isCount ? String(body['model']) : (model ?? ''));
  const isOld = /4-[56]/.test(name);
  const version = isOld ? rule.old : '2026-10-21';
  if (body['anthropic_version'] !== version) return [400, `${name} takes the version ${version}`];
  if (/claude-nowhere/.test(name)) return [404, 'Could not resolve the foundation model'];
  return bodyFault(rule, body);
}

function bodyFault(rule: Rules, body: Json): Fault | undefined {
  if ('cache_control' in body && rule.base === '') return [400, 'cache_control: Extra inputs'];
  const tools = (body['tools'] ?? []) as Json[];
  const hosted = tools.find(({ type }) => type !== undefined && type !== 'custom');
  return hosted === undefined || rule.hasModels === true
    ? undefined
    : [400, `tools: ${String(hosted['type'])} is not supported`];
}

/** A body as Anthropic's own API has it. */
function canonical(rule: Rules, path: string, body: Json): Json {
  if (rule.modelInPath !== true) return { ...body, model: nameOf(String(body['model'])) };
  const { anthropic_version: _version, ...rest } = body;
  const id = rule.call.exec(path.split('?')[0] ?? '')?.[1];
  if (id === undefined) return { ...rest, model: nameOf(String(body['model'])) };
  return { ...rest, model: nameOf(decodeURIComponent(id)), stream: true };
}

function nameOf(id: string): string {
  const [, name = id, date] = /(claude-[a-z]+-\d(?:-\d)?)(?:[-@](\d{8}))?/.exec(id) ?? [];
  return date === undefined ? name : `${name}-${date}`;
}

function routeOf({ count, hasModels }: Rules, path: string): string {
  if (hasModels === true && path.includes('/v1/models'))
    return path.slice(path.lastIndexOf('/v1/models'));
  return count?.test(path.split('?')[0] ?? '') === true
    ? '/v1/messages/count_tokens'
    : '/v1/messages';
}

function refuse(response: ServerResponse, [status, message]: Fault, cloud: CloudName): void {
  const names: Record<number, string> = {
    400: 'ValidationException',
    403: 'AccessDeniedException',
    404: 'ResourceNotFoundException',
  };
  const type = `${names[status] ?? ''}:http://internal.amazon.com/`;
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
  const google = [
    { error: { code: status, message, status: status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT' } },
  ];
  response.end(JSON.stringify(cloud === 'vertex' ? google : { message }));
}

/** Hands an answer on, in the framing of the place. */
async function relay(
  answer: Response,
  response: ServerResponse,
  isFramed: boolean,
  { pieces, cutAfter, isSpoilt }: CloudManner,
): Promise<void> {
  const decoder = new TextDecoder();
  let events = 0;
  let rest = '';
  const write = async (bytes: Buffer): Promise<void> => {
    const size = pieces ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      // Each piece is a packet of its own.
      if (pieces !== undefined) await new Promise(setImmediate);
    }
  };
  for await (const chunk of answer.body ?? []) {
    if (!isFramed) {
      await write(Buffer.from(chunk as Uint8Array));
      continue;
    }
    const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      events += 1;
      await write(isSpoilt === true && events === 3 ? spoilt(chunkFrame(data)) : chunkFrame(data));
      if (cutAfter?.events === events) {
        await write(exceptionFrame(cutAfter.type, 'Too many requests'));
        return void response.end();
      }
    }
  }
  response.end();
}

/** A frame with another last byte. */
function spoilt(frame: Buffer): Buffer {
  const last = frame.length - 1;
  frame.writeUInt8((frame.readUInt8(last) + 1) % 256, last);
  return frame;
}

function isMetadata({ headers }: IncomingMessage): boolean {
  return headers['metadata-flavor'] === 'Google';
}

function answerMetadata(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  { hasNoTokens = false }: CloudManner,
): void {
  if (hasNoTokens) return void response.writeHead(404, { 'metadata-flavor': 'Google' }).end();
  response.writeHead(200, { 'metadata-flavor': 'Google', 'content-type': 'application/json' });
  const token = { access_token: TOKEN, expires_in: 3_599, token_type: 'Bearer' };
  response.end(url.includes('/token') ? JSON.stringify(token) : 'my-project');
}

/** Gives the credentials of a place to this process, whose environment the libraries of the clouds read by themselves. */
export function lendCredentials({ environment }: Pick<CloudPlace, 'environment'>): void {
  const lent = Object.entries(environment).filter(([name]) => /^(?:AWS|GCE|METADATA)_/.test(name));
  Object.assign(process.env, Object.fromEntries(lent));
}
