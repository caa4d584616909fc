/** Names of this machine, as in URLs. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function isLoopbackHttp(url: URL): boolean {
  return url.protocol === 'http:' && loopbackNames.includes(url.hostname);
}
