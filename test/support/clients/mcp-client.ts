import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isPlainObject } from '../../../src/platform/json.js';

export type Era = 'legacy' | 'auto';

export interface Called {
  isError: boolean;
  /** What was said first. */
  said: string;
  structured: Record<string, unknown>;
}

/** A client of the official library, for `POST /mcp`. @param decide answers what it is asked in the middle of a call. */
export async function connectMcp(
  url: string,
  {
    era = 'legacy',
    key,
    decide,
  }: { era?: Era; key?: string; decide?: (asked: string) => object } = {},
): Promise<Client> {
  const capabilities = decide === undefined ? {} : { elicitation: { form: {} } };
  const info = { name: 'test', version: '1' };
  const client = new Client(info, { capabilities, versionNegotiation: { mode: era } });
  if (decide !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept' as const,
      ...decide(params.message),
    }));
  }
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

export async function callTool(client: Client, name: string, input: object): Promise<Called> {
  const {
    content,
    structuredContent,
    isError = false,
  } = await client.callTool({
    name,
    arguments: { ...input },
  });
  const [first] = content;
  if (first?.type !== 'text') throw new Error(`${name} said nothing`);
  const structured = isPlainObject(structuredContent) ? structuredContent : {};
  return { isError, said: first.text, structured };
}
