type Call = [method: string, path: string, body?: unknown];

const ofTurn =
  (method: string, rest = '', body?: object) =>
  ({ turnId }: { turnId: string }): Call => [method, `/api/harness/turns/${turnId}${rest}`, body];

/** Routes that read a turn, or replay it, and the call of each. */
export const turnCalls = {
  'get /api/harness/turns/{id}': ofTurn('GET'),
  'get /api/harness/turns/{id}/events': ofTurn('GET', '/events'),
  'get /api/harness/turns/{id}/steps': ofTurn('GET', '/steps'),
  'get /api/harness/turns/{id}/tools': ofTurn('GET', '/tools'),
  'get /api/harness/turns/{id}/log': ofTurn('GET', '/log'),
  'get /api/harness/turns/{id}/replays': ofTurn('GET', '/replays'),
  'get /api/harness/turns/{id}/compare': ({ turnId }: { turnId: string }): Call => [
    'GET',
    `/api/harness/turns/${turnId}/compare?with=${turnId}`,
  ],
  'post /api/harness/turns/{id}/replay': ofTurn('POST', '/replay', {}),
};
