import { afterEach, describe, expect, it } from '@jest/globals';
import { runExample, words } from '../../support/clients/run-example.js';
import {
  startFaultyGateway,
  type FaultyGateway,
  type GatewayFaults,
} from '../../support/clients/start-faulty-gateway.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the example', () => {
  let gateway: FaultyGateway;
  const server = useServer();
  afterEach(() => gateway.close());

  const run = async (program: string, file: string, faults: GatewayFaults = {}) => {
    gateway = await startFaultyGateway(server.url, faults);
    return runExample(program, file, gateway.url);
  };
  /** The cursors that streams were asked to go on from, in order. */
  const cursors = (): (string | undefined)[] =>
    gateway.requests
      .filter(({ path }) => path.endsWith('/events'))
      .map(({ headers }) => headers['last-event-id'] as string | undefined);
  const keys = (): unknown[] =>
    gateway.requests
      .filter(({ path }) => path === '/api/harness/turn')
      .map(({ headers }) => headers['idempotency-key']);
  const textOf = (stream: string): string =>
    [...stream.matchAll(/^event: chat:delta\nid: .*\ndata: (.*)$/gm)]
      .map(([, data = '{}']) => (JSON.parse(data) as { text: string }).text)
      .join('');

  it('of curl goes through a session: result, stream, resume, approval, interrupt', async () => {
    const output = await run('bash', 'curl/tour.sh');
    const [, , result = '', begun = '', rest = '', accepted = '', approval = '', whole = '', end] =
      output.split(/^== .*$/m);
    expect(JSON.parse(result)).toMatchObject({ outcome: 'completed', exitCode: 0 });
    expect(begun.match(/^id: /gm)).toHaveLength(5);
    expect(begun).not.toContain('process:exit');
    expect(textOf(begun + rest)).toBe(words(40));
    expect(cursors()[0]).toBe(
      begun
        .match(/^id: .*$/gm)
        ?.at(-1)
        ?.slice('id: '.length),
    );
    expect(accepted).toMatch(/^HTTP\/1.1 202 /m);
    expect(JSON.parse(approval)).toMatchObject({ approval: { decision: 'approve' } });
    expect(whole).toContain('event: approval:resolve');
    expect(whole).toContain('"outcome":"completed"');
    expect(end).toContain('"exitCode":130');
  });

  it('of curl shows the refusal that ends it', async () => {
    gateway = await startFaultyGateway(server.url);
    await expect(runExample('bash', 'curl/tour.sh', `${gateway.url}/elsewhere`)).rejects.toThrow(
      'ROUTE_NOT_FOUND',
    );
  });

  it('of the typed client reads on over broken connections', async () => {
    const output = await run(process.execPath, 'node/tour.mjs', { refusals: 1, cuts: [1, 1] });
    expect(output).toContain(`both readers: ${words(40)}\ncompleted`);
    expect(output.match(/first reader: (.*)/)?.[1]).not.toContain('word40');
    // After two cuts, and for the second reader.
    expect(cursors().slice(0, 3)).toEqual([
      expect.stringMatching(/:1\.1$/),
      expect.stringMatching(/:1\.2$/),
      expect.stringMatching(/:1\.\d+$/),
    ]);
    // The turn that was answered 503 was sent again under its key.
    expect(keys()[0]).toBe(keys()[1]);
    expect(output).toContain('(try 1 failed');
    expect(output).toContain('write: success\ncompleted');
    expect(output).toContain('16 of 16 bytes');
    expect(output).toContain('Attachments: 1');
    expect(output).toMatch(/SESSION_NOT_FOUND 404: .* Again\? false/);
  });
});
