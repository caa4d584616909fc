/** The members of a browser's XMLHttpRequest that are used here; Node's types have none. */
interface Xhr {
  readonly status: number;
  readonly responseText: string;
  readonly upload: {
    addEventListener(type: 'progress', listener: (event: { loaded: number }) => void): void;
  };
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void;
  send(body: FormData): void;
  abort(): void;
}

export interface FormToSend {
  Xhr: new () => Xhr;
  url: string;
  headers: Readonly<Record<string, string>>;
  form: FormData;
  onBytes(bytes: number): void;
  signal: AbortSignal | undefined;
}

/** Undefined in Node and in workers. */
export function findXhr(): FormToSend['Xhr'] | undefined {
  return Reflect.get(globalThis, 'XMLHttpRequest') as FormToSend['Xhr'] | undefined;
}

/**
 * Sends a form by XMLHttpRequest, which reports progress; the browsers' `fetch` does not.
 *
 * @throws Error when the server was not reached; the signal's reason.
 */
export function sendByXhr(sending: FormToSend): Promise<Response> {
  const { Xhr, url, headers, form, onBytes, signal } = sending;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new Xhr();
    const leave = (): void => request.abort();
    const settle = (outcome: () => void) => () => {
      signal?.removeEventListener('abort', leave);
      outcome();
    };
    signal?.addEventListener('abort', leave, { once: true });
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => onBytes(loaded));
    request.addEventListener(
      'load',
      settle(() => resolve(answerOf(request))),
    );
    request.addEventListener(
      'error',
      settle(() => reject(new Error('The request failed'))),
    );
    request.addEventListener(
      'abort',
      settle(() => reject(signal?.reason)),
    );
    request.send(form);
  });
}

function answerOf(request: Xhr): Response {
  const retryAfter = request.getResponseHeader('retry-after');
  const headers = new Headers(retryAfter === null ? {} : { 'retry-after': retryAfter });
  // `null` for an empty body: `Response` refuses an empty string where the status allows no body.
  return new Response(request.responseText || null, { status: request.status, headers });
}
