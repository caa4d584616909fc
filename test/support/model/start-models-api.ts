import { type ServerResponse } from 'node:http';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { serveHttp } from '../serve-http.js';

/** An entry of the Models API. */
export type ModelEntry = { id: string } & Record<string, unknown>;

export interface ModelsApi {
  url: string;
  /** Entries of its Models API, which may change between calls; undefined: it has no such API. */
  models: ModelEntry[] | undefined;
  /** Requested paths of the Models API. */
  asked: string[];
  close(): Promise<void>;
}

/** A provider with models of the test's own and replies of the rehearsal. */
export async function startModelsApi(models: ModelEntry[] | undefined): Promise<ModelsApi> {
  const rehearsal = await startRehearsal();
  const server = await serveHttp((request, response) => {
    const path = request.url ?? '';
    const isModels = path.startsWith('/v1/models');
    if (isModels) {
      api.asked.push(path);
      if (api.models === undefined) return void response.writeHead(404).end('no such page');
      return answer(api.models, decodeURIComponent(path), response);
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { host: _host, 'content-length': _length, ...headers } = request.headers;
      const init = {
        method: request.method ?? 'POST',
        headers: headers as Record<string, string>,
        body: asPlayed(Buffer.concat(chunks).toString()),
      };
      pass(rehearsal.url + path, init, response).catch(() => response.destroy());
    });
  });
  const close = async (): Promise<void> => {
    await server.close();
    await rehearsal.close();
  };
  const api: ModelsApi = { url: server.url, models, asked: [], close };
  return api;
}

/** The rehearsal has models of its own only. */
function asPlayed(body: string): string {
  return body.replace(/"model":"claude-(?:new-6|fable-9|opus-5)"/, '"model":"claude-sonnet-4-6"');
}

async function pass(url: string, init: RequestInit, response: ServerResponse): Promise<void> {
  const reply = await fetch(url, init);
  const body = Buffer.from(await reply.arrayBuffer());
  response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
  response.end(body);
}

function answer(models: readonly ModelEntry[], path: string, response: ServerResponse): void {
  const name = /^\/v1\/models\/([^?]+)/.exec(path)?.[1];
  const found = models.find(({ id }) => id === name);
  if (name === undefined) {
    const data = models.filter(({ isUnlisted }) => isUnlisted !== true);
    return send(response, 200, { data, has_more: false, first_id: null, last_id: null });
  }
  if (found !== undefined) return send(response, 200, found);
  const error = { type: 'not_found_error', message: `model: ${name}` };
  return send(response, 404, { type: 'error', error });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
