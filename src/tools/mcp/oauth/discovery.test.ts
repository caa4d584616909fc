import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../platform/clock.js';
import { isSafe, OAuthDiscovery } from './discovery.js';

it.each([
  ['https://auth.example/authorize', true],
  ['http://127.0.0.1:9000/authorize', true],
  ['http://auth.example/authorize', false],
  ['https://good.example@evil.example/', false],
  ['https://a:b@evil.example/', false],
  ['https://:b@evil.example/', false],
])('isSafe: %s is %s', (url, expected) => {
  expect(isSafe(new URL(url))).toBe(expected);
});

describe('the authorization server of an MCP server', () => {
  const url = 'https://mcp.example/mcp';
  const issuer = 'https://auth.example';
  const wellKnown = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
  const pages: Record<string, object> = {
    [wellKnown]: { resource: url, authorization_servers: [issuer] },
    'https://mcp.example/named': { resource: url, authorization_servers: [issuer] },
    [`${issuer}/.well-known/oauth-authorization-server`]: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    },
  };
  const asked: string[] = [];
  const discovery = new OAuthDiscovery(
    () => async (at) => {
      asked.push(String(at));
      const page = pages[String(at)];
      return page === undefined ? new Response('', { status: 404 }) : Response.json(page);
    },
    systemClock,
  );

  it.each([
    ['nothing', undefined],
    ['an address that has its metadata', 'https://mcp.example/named'],
    // github.com/getsentry/sentry-mcp/issues/939: two addresses in one refusal, the first of them with nothing.
    ['an address that has nothing', 'https://mcp.example/.well-known/oauth-protected-resource'],
    ['an address of somebody else', 'https://evil.example/named'],
  ])('is found where its refusal names %s', async (_what, named) => {
    asked.length = 0;
    const found = await discovery.find({ url }, named === undefined ? undefined : new URL(named));
    expect(found.issuer).toBe(issuer);
    expect(asked.some((at) => at.startsWith('https://evil.example'))).toBe(false);
  });
});
