import { describe, expect, it } from '@jest/globals';
import { eventFault, responseFault } from '../../support/clients/open-responses-schema.js';
import { useServer } from '../../support/processes/start-server.js';

/**
 * The cases of the compliance test of the open specification (`bin/compliance-test.ts` of openresponses), against
 * schemas of its version 2026-04-24: a request, and what its response must have.
 */

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const weather = '[[tool=get_weather {"location":"San Francisco, CA"}]]';
const getWeather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather at a place',
  parameters: {
    type: 'object',
    properties: { location: { type: 'string' } },
    required: ['location'],
  },
};
const heart = `data:image/png;base64,${[
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q',
  'DwADhgGAWjR9awAAAABJRU5ErkJggg==',
].join('')}`;

interface Case {
  input: object[];
  tools?: object[];
  has: string;
}

const cases: Record<string, Case> = {
  'a text': { input: [user('Say hello in exactly 3 words.')], has: 'message' },
  'a system message': {
    input: [{ type: 'message', role: 'system', content: 'Be a pirate.' }, user('Say hello.')],
    has: 'message',
  },
  'a function call': { input: [user(weather)], tools: [getWeather], has: 'function_call' },
  'an image': {
    input: [
      user([
        { type: 'input_text', text: 'What is in it?' },
        { type: 'input_image', image_url: heart },
      ]),
    ],
    has: 'message',
  },
  'a conversation': {
    input: [
      user('My name is Alice.'),
      { type: 'message', role: 'assistant', content: 'Hello Alice!' },
      user('What is my name?'),
    ],
    has: 'message',
  },
  thinking: { input: [user('[[think=3]] Well?')], has: 'message' },
};

describe('the open specification of responses', () => {
  const server = useServer();

  const send = ({ input, tools }: Case, stream: boolean) =>
    fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: JSON.stringify({ model: 'claude-haiku-4-5', input, tools, stream }),
    });

  it.each(Object.entries(cases))('is kept by a response to %s', async (_name, asked) => {
    const answer = await send(asked, false);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('application/json'),
    ]);
    const response = (await answer.json()) as { status: string; output: { type: string }[] };
    expect(responseFault(response)).toBeUndefined();
    expect(response.status).toBe('completed');
    expect(response.output.map(({ type }) => type)).toContain(asked.has);
  });

  it.each(Object.entries(cases))(
    'is kept by each event of a stream about %s',
    async (_name, asked) => {
      const answer = await send(asked, true);
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
      const frames = (await answer.text()).trim().split('\n\n');
      expect(frames.at(-1)?.split('\n').at(-1)).toBe('data: [DONE]');
      const events = frames.slice(0, -1).flatMap((frame) => {
        const [, name = '', data] = /^event: (.*)$[\s\S]*^data: (.*)$/m.exec(frame) ?? [];
        return data === undefined ? [] : [{ name, event: JSON.parse(data) as { type: string } }];
      });
      for (const { name, event } of events) {
        expect([event.type, eventFault(event)]).toEqual([name, undefined]);
      }
      const types = events.map(({ name }) => name);
      expect(types[0]).toBe('response.created');
      expect(types.at(-1)).toBe('response.completed');
      if (asked.has !== 'function_call') return;
      expect(types).toEqual(
        expect.arrayContaining([
          'response.output_item.added',
          'response.function_call_arguments.delta',
          'response.function_call_arguments.done',
          'response.output_item.done',
        ]),
      );
    },
  );

  it('is kept by errors', async () => {
    const answer = await send({ input: [], has: '' }, false);
    const body: unknown = await answer.json();
    expect([answer.status, body]).toEqual([
      400,
      {
        error: expect.objectContaining({
          type: 'invalid_request',
          message: expect.any(String),
          param: 'input',
          code: 'INVALID_REQUEST',
        }),
      },
    ]);
  });
});
