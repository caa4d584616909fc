import { describe, expect, it } from '@jest/globals';
import { connect } from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { collect, kindsOf } from '../../support/agent-sdk/read-query.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('a query of one text', () => {
  const server = useServer();
  const sdk = useShared(() => connect(new TurnpikeClient({ url: server.url })));

  it('yields what a turn says, in order, and its result last', async () => {
    const messages = await collect(
      sdk.query({ prompt: '[[tokens=5]]', options: { cwd: server.projectRoot } }),
    );
    expect(kindsOf(messages)).toEqual(['system/init', 'assistant/text', 'result/success']);
  });
});
