import * as z from 'zod';
import type { AgentSdk, Json, QueryOptions, ToolOutput } from '../agent-sdk.js';
import type { Case, Group, Place } from '../case.js';
import { no, yes } from './answers.js';
import { calls, says, script } from './say.js';

const ours = (text: string): ToolOutput => ({
  content: [{ type: 'text', text: `ours: ${text}.` }],
});

interface Given {
  input: Json;
  handler?: (input: Json) => ToolOutput;
  annotations?: { readOnlyHint?: boolean };
  options?: QueryOptions;
}

/** A case with one tool of the program and one call of it. */
function ofCall(
  name: string,
  { input, handler = () => ours('order found'), annotations = {}, options = {} }: Given,
): Case {
  return {
    name,
    script: script(calls(['mcp__shop__order', input]), says('Done.')),
    run: async (sdk, place) => {
      const shop = shopOf(sdk, place, handler, annotations);
      await place.ask(sdk, 'Go', {
        mcpServers: { shop },
        allowedTools: ['mcp__shop__order'],
        ...options,
      });
    },
  };
}

function shopOf(
  sdk: AgentSdk,
  place: Place,
  handler: (input: Json) => ToolOutput,
  annotations: { readOnlyHint?: boolean },
): unknown {
  const order = sdk.tool(
    'order',
    'Finds an order.',
    { id: z.string(), lines: z.array(z.string()).default(['all']) },
    async (input) => {
      place.note('called', input);
      return handler(input);
    },
    { annotations },
  );
  return sdk.createSdkMcpServer({ name: 'shop', version: '1.0.0', tools: [order] });
}

/** (13) Tools of the program: their names, and what becomes of errors. */
export const sdkTools: Group = {
  name: 'sdk-tools',
  aspects: ['init', 'offered', 'calls', 'results', 'asked', 'end'],
  cases: [
    ofCall('a call', { input: { id: '7' } }),
    ofCall('a call with all of its input', { input: { id: '7', lines: ['a', 'b'] } }),
    ofCall('an input of another type', { input: { id: 7 } }),
    ofCall('an input without a field', { input: {} }),
    ofCall('an input with a field more', { input: { id: '7', more: true } }),
    ofCall('a handler that throws', {
      input: { id: '7' },
      handler: () => {
        throw new Error('ours: it broke.');
      },
    }),
    ofCall('a handler that says it failed', {
      input: { id: '7' },
      handler: () => ({ ...ours('there is none'), isError: true }),
    }),
    ofCall('a handler that answers with nothing', {
      input: { id: '7' },
      handler: () => ({ content: [] }),
    }),
    ofCall('a handler that answers with two texts', {
      input: { id: '7' },
      handler: () => ({ content: [...ours('one').content, ...ours('two').content] }),
    }),
    ofCall('a handler that answers with an image', {
      input: { id: '7' },
      handler: () => ({
        content: [
          {
            type: 'image',
            mimeType: 'image/png',
            data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
          },
        ],
      }),
    }),
    ofCall('the person is asked without a rule', {
      input: { id: '7' },
      options: { allowedTools: [], canUseTool: yes },
    }),
    ofCall('the person says no', {
      input: { id: '7' },
      options: { allowedTools: [], canUseTool: no },
    }),
    ofCall('a tool that only reads is asked about, too', {
      input: { id: '7' },
      annotations: { readOnlyHint: true },
      options: { allowedTools: [], canUseTool: yes },
    }),
    ofCall('a rule for the whole server', {
      input: { id: '7' },
      options: { allowedTools: ['mcp__shop'], canUseTool: no },
    }),
    ofCall('a rule for all of its tools', {
      input: { id: '7' },
      options: { allowedTools: ['mcp__shop__*'], canUseTool: no },
    }),
    ofCall('a rule that denies the whole server', {
      input: { id: '7' },
      options: { disallowedTools: ['mcp__shop'], canUseTool: yes },
    }),
    ofCall('a rule that denies the tool', {
      input: { id: '7' },
      options: { disallowedTools: ['mcp__shop__order'], canUseTool: yes },
    }),
    ofCall('in the mode plan, one that only reads', {
      input: { id: '7' },
      annotations: { readOnlyHint: true },
      options: { allowedTools: [], permissionMode: 'plan', canUseTool: yes },
    }),
    ofCall('in the mode dontAsk, one that only reads', {
      input: { id: '7' },
      annotations: { readOnlyHint: true },
      options: { allowedTools: [], permissionMode: 'dontAsk', canUseTool: yes },
    }),
    {
      name: 'two servers with a tool of one name',
      script: script(
        calls(['mcp__b__order', { id: '7' }], ['mcp__a__order', { id: '8' }]),
        says('Done.'),
      ),
      run: async (sdk, place) => {
        const serverOf = (name: string): unknown =>
          sdk.createSdkMcpServer({
            name,
            tools: [
              sdk.tool('order', 'Finds it.', { id: z.string() }, async ({ id }) => {
                place.note(name, id);
                return ours(name);
              }),
            ],
          });
        await place.ask(sdk, 'Go', {
          mcpServers: { a: serverOf('a'), b: serverOf('b') },
          allowedTools: ['mcp__a__order', 'mcp__b__order'],
        });
      },
    },
    {
      name: 'the name of the server is that of the option',
      script: script(calls(['mcp__here__order', { id: '7' }]), says('Done.')),
      run: async (sdk, place) => {
        const here = shopOf(sdk, place, () => ours('here'), {});
        await place.ask(sdk, 'Go', { mcpServers: { here }, allowedTools: ['mcp__here__order'] });
      },
    },
  ],
};
