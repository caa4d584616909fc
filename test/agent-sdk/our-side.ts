import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as send } from 'node:http';
import { TurnpikeClient } from '../../src/client/turnpike-client.js';
import { connect } from '../../src/agent-sdk/connect.js';
import { startServer, type TestServer } from '../support/processes/start-server.js';
import { serveHttp } from '../support/serve-http.js';
import type { AgentSdk } from './agent-sdk.js';
import type { Side } from './compare-ours.js';

/** Ours over one server, which asks the model of whatever case runs. */
export interface OurSide extends Side {
  server: TestServer;
  /** A PUT with the address of a model makes the server ask that one: for programs, whose model begins with them. */
  modelSetting: string;
  close(): Promise<void>;
}

/** Starts a server for cases that run one after the other. */
export async function openOurSide(): Promise<OurSide> {
  let target = '';
  const front = await serveHttp((request, response) => {
    if (request.method === 'PUT') {
      request.on('data', (chunk: Buffer) => (target = chunk.toString()));
      request.once('end', () => void response.end());
      return;
    }
    // The server looks whether the place is there before any case runs.
    if (target === '') response.writeHead(404).end();
    else forward(target, request, response);
  });
  const server = await startServer({
    environment: {
      TURNPIKE_PROVIDER_BASE_URL: front.url,
      TURNPIKE_EGRESS_ALLOW: front.url,
      TURNPIKE_PROVIDER_RETRIES: '2',
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      TURNPIKE_PROJECT_FILES: 'sessions',
      TURNPIKE_TRUSTED_PROJECTS: '/',
    },
  });
  return {
    server,
    modelSetting: front.url,
    open: ({ modelUrl }) => {
      target = modelUrl;
      const client = new TurnpikeClient({ url: server.url });
      // Its types are narrower than those that cases have for both.
      const sdk = connect(client) as unknown as AgentSdk;
      return Promise.resolve({ sdk, close: () => Promise.resolve() });
    },
    close: async () => {
      await server.close();
      await front.close();
    },
  };
}

/** Sends a request on, and its answer back as it comes. */
function forward(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url } = request;
  const { host: _host, ...rest } = headers;
  const onward = send(new URL(url ?? '/', target), { method, headers: rest }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  onward.once('error', () => response.destroy());
  response.once('close', () => onward.destroy());
  request.pipe(onward);
}
