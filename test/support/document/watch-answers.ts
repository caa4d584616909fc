import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { AnswerChecker, type SeenAnswer } from './answer-checker.js';
import { asDocument } from './api-document.js';

const STARTED = 'http.server.request.start';

/** Made of the code, which is the same for all servers of a process. */
let checker: AnswerChecker | undefined;

/**
 * Holds every JSON answer of a server of this process, whoever asks, against its own document.
 *
 * @returns ends that; @throws Error with the answers that are not as the document says.
 */
export async function watchAnswers(url: string): Promise<() => void> {
  checker ??= await loadChecker(url);
  if (checker === undefined) return () => undefined;
  const seen: SeenAnswer[] = [];
  const port = Number(new URL(url).port);
  const watch = (started: unknown): void => {
    const { request, response, server } = started as Started;
    const address = server.address();
    const isOurs = typeof address === 'object' && address?.port === port;
    if (isOurs) keepAnswer(request, response, (answer) => seen.push(answer));
  };
  subscribe(STARTED, watch);
  return () => {
    unsubscribe(STARTED, watch);
    const faults = new Set(seen.flatMap((answer) => checker?.faultOf(answer) ?? []));
    if (faults.size > 0) throw new Error(`Not as the document says:\n${[...faults].join('\n')}`);
  };
}

interface Started {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
}

/** @returns undefined for a server without a document. */
async function loadChecker(url: string): Promise<AnswerChecker | undefined> {
  const answer = await fetch(`${url}/docs-json`);
  return answer.ok ? new AnswerChecker(asDocument(await answer.json())) : undefined;
}

function keepAnswer(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  keep: (answer: SeenAnswer) => void,
): void {
  const { end } = response;
  response.end = (...given: unknown[]): ServerResponse => {
    const [body] = given;
    const [mediaType = ''] = String(response.getHeader('content-type') ?? '').split(';');
    const isWhole = typeof body === 'string' || body instanceof Buffer;
    if (isWhole && mediaType.endsWith('json')) {
      const [path = ''] = url.split('?');
      keep({ method, path, status: response.statusCode, mediaType, body: String(body) });
    }
    return Reflect.apply(end, response, given) as ServerResponse;
  };
}
