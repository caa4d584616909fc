import { createOpenAI as createOpenAI3 } from '@ai-sdk/openai';
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { createOpenAI as createOpenAI4 } from 'ai-sdk-openai-4';
import { z } from 'zod';

/** A message as `generateText` takes and gives it. */
export type AiSdkMessage = Record<'role' | 'content', unknown>;

export interface AskedOfAiSdk {
  model: string;
  messages: readonly AiSdkMessage[];
  store: boolean;
  isStream: boolean;
}

export interface SaidByAiSdk {
  text: string;
  /** What all steps added to the conversation. */
  messages: AiSdkMessage[];
  steps: number;
  /** Ids of approvals that the last step asks for. */
  approvals: string[];
}

/** What is used of `ai` and `@ai-sdk/openai`, in the words that their majors have in common. */
interface Sdk {
  createOpenAI(settings: object): { responses(model: string): unknown };
  tool(definition: object): unknown;
  stepCountIs(count: number): unknown;
  generateText(asked: object): Promise<Whole>;
  streamText(asked: object): Streamed;
}

interface Whole {
  text: string;
  content: readonly { type: string; approvalId?: string }[];
  steps: readonly unknown[];
  response: { messages: AiSdkMessage[] };
  /** Version 7: `response.messages` has those of the last step alone. */
  responseMessages?: AiSdkMessage[];
}

type Streamed = { [Key in keyof Whole]: PromiseLike<NonNullable<Whole[Key]>> } & {
  fullStream: AsyncIterable<{ type: string; error?: unknown }>;
};

const numbers = z.object({ a: z.number(), b: z.number() });

/** Conversations over the Responses API, by the versions of `ai` and `@ai-sdk/openai`. */
export const aiSdks = {
  'ai 6 and @ai-sdk/openai 3': openAiSdk({ ...ai6, createOpenAI: createOpenAI3 }),
  'ai 7 and @ai-sdk/openai 4': openAiSdk({ ...ai7, createOpenAI: createOpenAI4 }),
};

/** @returns what begins a conversation with the key of a principal. */
function openAiSdk(sdk: object) {
  return (url: string, apiKey: string) => converse(sdk as Sdk, url, apiKey);
}

function converse(
  { createOpenAI, tool, stepCountIs, generateText, streamText }: Sdk,
  url: string,
  apiKey: string,
) {
  /** The inputs that were sent, in order. */
  const inputs: { type?: string; id?: string }[][] = [];
  const openai = createOpenAI({
    baseURL: `${url}/v1`,
    apiKey,
    fetch: (address: string, init: RequestInit & { body: string }) => {
      const { input } = JSON.parse(init.body) as { input: (typeof inputs)[number] };
      inputs.push(input);
      return fetch(address, init);
    },
  });
  const operation = (description: string, execute: (given: z.infer<typeof numbers>) => number) =>
    tool({ description, inputSchema: numbers, execute });

  async function ask(asked: AskedOfAiSdk): Promise<SaidByAiSdk> {
    const { model, messages, store, isStream } = asked;
    const wanted = {
      model: openai.responses(model),
      messages,
      tools: {
        add: operation('Adds.', ({ a, b }) => a + b),
        multiply: operation('Multiplies.', ({ a, b }) => a * b),
      },
      stopWhen: stepCountIs(5),
      maxRetries: 0,
      providerOptions: { openai: { store } },
      // The error is thrown below; the package would print it, too.
      onError: () => undefined,
    };
    const { text, content, steps, response, responseMessages } = isStream
      ? await readWhole(streamText(wanted))
      : await generateText(wanted);
    return {
      text,
      messages: responseMessages ?? response.messages,
      steps: steps.length,
      approvals: content.flatMap(({ approvalId }) => approvalId ?? []),
    };
  }
  return { ask, inputs };
}

async function readWhole(streamed: Streamed): Promise<Whole> {
  for await (const { type, error } of streamed.fullStream) if (type === 'error') throw error;
  const { text, content, steps, response, responseMessages } = streamed;
  const [said, parts, all, last, added] = await Promise.all([
    text,
    content,
    steps,
    response,
    responseMessages,
  ]);
  return {
    text: said,
    content: parts,
    steps: all,
    response: last,
    ...(added === undefined ? {} : { responseMessages: added }),
  };
}
