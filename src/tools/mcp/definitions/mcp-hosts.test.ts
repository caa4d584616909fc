import { describe, expect, it } from '@jest/globals';
import { hostProblem } from './mcp-hosts.js';

describe('hostProblem', () => {
  const hosts = [
    'mcp.example.com',
    '*.docs.example',
    '*.port.example:8443',
    '[::1]:9000',
    'localhost',
  ];

  it.each([
    'https://mcp.example.com/mcp',
    'https://MCP.example.com:8443/',
    'https://mcp.example.com./',
    'https://a.docs.example/',
    'https://a.b.docs.example:1/',
    'https://x.port.example:8443/',
    'http://[::1]:9000/',
    'http://localhost:1/',
  ])('takes %s', (url) => expect(hostProblem(url, hosts)).toBeUndefined());

  it.each([
    ['http://mcp.example.com/', 'must use https'],
    ['https://docs.example/', 'names the host docs.example'],
    ['https://evil-docs.example/', 'names the host evil-docs.example'],
    ['https://mcp.example.com.evil.example/', 'names the host mcp.example.com.evil.example'],
    ['https://x.port.example/', 'names the host x.port.example'],
    ['http://[::1]:9001/', 'names the host [::1]'],
    ['http://127.0.0.1/', 'names the host 127.0.0.1'],
  ])('refuses %s', (url, problem) => expect(hostProblem(url, hosts)).toContain(problem));
});
