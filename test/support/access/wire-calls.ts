type Call = [method: string, path: string, body?: unknown];

interface Ids {
  sessionId: string;
  turnId: string;
  responseId: string;
}

/** Routes of AG-UI and of the Responses API that take an id, and the call of each with one. */
export const wireCalls: Record<string, (ids: Ids) => Call> = {
  'post /agent/{name}/ag-ui': ({ sessionId }) => [
    'POST',
    '/agent/WORKING_ITEMS/ag-ui',
    {
      threadId: sessionId,
      runId: 'run-1',
      messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
  ],
  'post /awp': ({ sessionId }) => [
    'POST',
    '/awp',
    {
      threadId: sessionId,
      runId: 'run-1',
      messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
      tools: [],
      context: [],
    },
  ],
  'get /agent/{name}/ag-ui/{turnId}': ({ turnId: id }) => [
    'GET',
    `/agent/WORKING_ITEMS/ag-ui/${id}?run=run-1`,
  ],
  'get /v1/responses/{id}': ({ responseId: id }) => ['GET', `/v1/responses/${id}`],
  'get /v1/responses/{id}/input_items': ({ responseId: id }) => [
    'GET',
    `/v1/responses/${id}/input_items`,
  ],
  'post /v1/responses': ({ responseId: id }) => [
    'POST',
    '/v1/responses',
    { input: 'Hello', previous_response_id: id },
  ],
  'delete /v1/responses/{id}': ({ responseId: id }) => ['DELETE', `/v1/responses/${id}`],
  'post /v1/responses/{id}/cancel': ({ responseId: id }) => ['POST', `/v1/responses/${id}/cancel`],
};
