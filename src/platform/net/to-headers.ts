/** Headers to read: those given, without a copy where they are headers already. */
export function toHeaders(given: RequestInit['headers']): Headers {
  return given instanceof Headers ? given : new Headers(given);
}
