type Call = [method: string, path: string, body?: unknown];

/** The routes of the Responses API that take an id, and the call of each with one. */
export const responseCalls: Record<string, (ids: { responseId: string }) => Call> = {
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
  'post /v1/responses/{id}/cancel': ({ responseId: id }) => ['POST', `/v1/responses/${id}/cancel`],
};
