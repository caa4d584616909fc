import { describe, expect, it } from '@jest/globals';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { TurnpikeClient } from '../turnpike-client.js';
import { useTurnpikeChat, type TurnpikeChat } from './use-turnpike-chat.js';

/** The state that a page renders first, before an effect ran. */
function firstState(sessionId: string | null): TurnpikeChat {
  const client = new TurnpikeClient({ url: 'http://127.0.0.1:9' });
  let state: TurnpikeChat | undefined;
  function Page() {
    state = useTurnpikeChat({ client, sessionId });
    return null;
  }
  renderToString(createElement(Page));
  if (state === undefined) throw new Error('Nothing was rendered');
  return state;
}

describe('the chat of a React page', () => {
  it('is not ready before it has loaded its session: a message would go to a new one', () => {
    expect(firstState('sess_1')).toMatchObject({
      sessionId: 'sess_1',
      status: 'loading',
      messages: [],
    });
  });

  it('is ready at once for a new session', () => {
    const state = firstState(null);
    expect(state).toMatchObject({ status: 'ready', messages: [] });
    expect(state.sessionId).toBeUndefined();
  });
});
