import { describe, expect, it } from '@jest/globals';
import { McpRedirects } from './mcp-redirects.js';

describe('redirects of log-ins, where a host application mounts the server', () => {
  const publicUrl = 'https://app.example';

  it('are below its path', () => {
    const redirects = new McpRedirects({ publicUrl, mcpRedirects: [] }, '/agents');
    const clientDocument = 'https://app.example/agents/oauth/mcp/client.json';
    expect(redirects.own('any')).toEqual({
      url: 'https://app.example/agents/oauth/mcp/callback',
      clientDocument,
    });
    expect(redirects.describe('any')).toMatchObject({
      client_id: clientDocument,
      redirect_uris: expect.arrayContaining(['https://app.example/agents/oauth/mcp/callback']),
    });
    const local = new McpRedirects({ publicUrl: undefined, mcpRedirects: [] }, '/agents');
    expect(local.own('localhost:3000').url).toMatch(/:3000\/agents\/oauth\/mcp\/callback$/);
  });

  it('are at the root without one', () => {
    const redirects = new McpRedirects({ publicUrl, mcpRedirects: [] });
    expect(redirects.own('any').url).toBe('https://app.example/oauth/mcp/callback');
  });
});
