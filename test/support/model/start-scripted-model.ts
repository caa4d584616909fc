import { serveHttp } from '../serve-http.js';
import { playReply, type ScriptedReply } from './play-reply.js';

export interface ScriptedModel {
  url: string;
  /** Replies to come; a plain one follows when none is left. */
  script: ScriptedReply[];
  /** Bodies of received requests, in order. */
  requests: { model: string; messages: { role: string; content: unknown }[] }[];
  /** These bodies as they came. */
  texts: string[];
  close(): Promise<void>;
}

/** A model's endpoint with scripted replies, one for each call, in the provider's format. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const { url, close } = await serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      // A list of models does not exist here.
      if (request.method !== 'POST') return void response.writeHead(404).end();
      const body = Buffer.concat(chunks).toString();
      const sent = JSON.parse(body) as ScriptedModel['requests'][number];
      model.requests.push(sent);
      model.texts.push(body);
      playReply(model.script.shift() ?? { text: 'Hello.' }, sent.model, response);
    });
  });
  const model: ScriptedModel = { url, script: [], requests: [], texts: [], close };
  return model;
}
