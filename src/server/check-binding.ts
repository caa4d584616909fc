import { isLoopback } from '../platform/net/loopback.js';

/**
 * Finds a fault in the address that the server is to listen on: without a valid key, anybody who
 * reaches the address may run tools. Pure.
 *
 * @returns the fault and its remedy; undefined: none.
 */
export function findBindingFault(asked: {
  host: string;
  allowKeyless: boolean;
  hasActiveKey: boolean;
}): string | undefined {
  const { host, allowKeyless, hasActiveKey } = asked;
  if (allowKeyless || hasActiveKey || isLoopback(host)) return undefined;
  return [
    `TURNPIKE_HOST is "${host}", which other machines reach, and there is no API key that is taken. Do one of these:`,
    'make a key: turnpike keys create --principal NAME --scopes turns,approvals,admin',
    'let this start make and print one: TURNPIKE_FIRST_KEY=print',
    'listen on 127.0.0.1, for this machine alone',
    'set TURNPIKE_ALLOW_KEYLESS=true, where a gateway decides who may call',
  ].join('\n      - ');
}
