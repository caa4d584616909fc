import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { createOpenAI as createOpenAI4 } from 'ai-sdk-openai-4';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import { given } from '../processes/test-services.js';

const run = promisify(execFile);
const pythonClient = fileURLToPath(new URL('../../../clients/python/', import.meta.url));

/** A request of a program; its package, or the program itself, sends it again where the connection breaks. */
export interface SentRequest {
  /** Of a server, or of what is before it. */
  url: string;
  /** What the user says. */
  input: string;
  isStream: boolean;
  /** As the page on repeats says to set it. Absent: it is not. */
  idempotencyKey?: string;
}

/** Sends a request with what a package does by default. @returns the text of the answer. */
export type ClientThatRepeats = (request: SentRequest) => Promise<string>;

/** What is used of `ai` and `@ai-sdk/openai`, in the words that their majors have in common. */
interface Sdk {
  createOpenAI(settings: object): { responses(model: string): unknown };
  generateText(asked: object): Promise<{ text: string }>;
  streamText(asked: object): {
    text: PromiseLike<string>;
    fullStream: AsyncIterable<{ type: string; error?: unknown }>;
  };
}

/** The clients of the Responses API, by their names. */
export const clientsThatRepeat: Record<string, ClientThatRepeats> = {
  'openai 7': openAi(OpenAI),
  'openai 6': openAi(OpenAI6 as unknown as typeof OpenAI),
  'ai 7 and @ai-sdk/openai 4': aiSdk({ ...ai7, createOpenAI: createOpenAI4 }),
  'ai 6 and @ai-sdk/openai 3': aiSdk({ ...ai6, createOpenAI: createOpenAI3 }),
  LangChain: langChain,
  'httpx in a loop': httpxInALoop,
};

function openAi(Package: typeof OpenAI): ClientThatRepeats {
  return async ({ url, input, isStream, idempotencyKey }) => {
    const { responses } = new Package({ baseURL: `${url}/v1`, apiKey: 'none' });
    const body = { model: 'reader', input };
    const options = { headers: headersOf(idempotencyKey) };
    const response = isStream
      ? await responses.stream(body, options).finalResponse()
      : await responses.create(body, options);
    return response.output_text;
  };
}

function aiSdk(sdk: object): ClientThatRepeats {
  const { createOpenAI, generateText, streamText } = sdk as Sdk;
  return async ({ url, input, isStream, idempotencyKey }) => {
    const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
    const asked = {
      model: openai.responses('reader'),
      prompt: input,
      headers: headersOf(idempotencyKey),
    };
    if (!isStream) return (await generateText(asked)).text;
    // The error is thrown below; the package would print it, too.
    const streamed = streamText({ ...asked, onError: () => undefined });
    for await (const { type, error } of streamed.fullStream) if (type === 'error') throw error;
    return streamed.text;
  };
}

async function langChain({ url, input, isStream, idempotencyKey }: SentRequest): Promise<string> {
  const model = new ChatOpenAI({
    model: 'reader',
    apiKey: 'none',
    useResponsesApi: true,
    configuration: { baseURL: `${url}/v1` },
  });
  const headers = headersOf(idempotencyKey);
  // The package has two places for them: of `stream`, and of `invoke`.
  const options = isStream ? { headers } : { options: { headers } };
  if (!isStream) return (await model.invoke(input, options)).text;
  let text = '';
  for await (const chunk of await model.stream(input, options)) text += chunk.text;
  return text;
}

/** What `httpx` does not: its `retries` are those of connections that were not made. */
function httpxInALoop({ url, input, isStream, idempotencyKey }: SentRequest): Promise<string> {
  return runPython(
    `
import sys, json, time, httpx
url, body, headers = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
with httpx.Client(transport=httpx.HTTPTransport(retries=2), timeout=60) as client:
    for _ in range(4):
        try:
            with client.stream("POST", url, json=body, headers=headers) as answer:
                print(answer.read().decode())
            break
        except httpx.TransportError:
            time.sleep(0.5)
`,
    [
      `${url}/v1/responses`,
      JSON.stringify({ model: 'reader', input, stream: isStream }),
      JSON.stringify(headersOf(idempotencyKey)),
    ],
  );
}

/** Runs a program with the packages of the Python client. @returns what it printed. */
export async function runPython(program: string, args: readonly string[]): Promise<string> {
  const env = { PATH: '/usr/bin', PYTHONPATH: pythonClient, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { env, timeout: 600_000 };
  return (await run(given('TEST_PYTHON'), ['-c', program, ...args], options)).stdout;
}

function headersOf(idempotencyKey: string | undefined): Record<string, string> {
  return idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
}
