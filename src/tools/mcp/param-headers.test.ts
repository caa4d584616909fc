import { describe, expect, it } from '@jest/globals';
import { headersOfCall, paramHeaders } from './param-headers.js';

const schema = (header: string) => ({
  type: 'object',
  properties: { a: { type: 'string', 'x-mcp-header': header } },
});

describe('headers of a call', () => {
  it.each(['a\r\nAuthorization: x', 'é', ' padded ', '\u0000', '', '=?base64?eA==?='])(
    'have the value %j in a form that ends no line',
    (value) => {
      const name = 'Mcp-Param-Region';
      const headers = headersOfCall(paramHeaders(schema('Region')), { a: value });
      const sent = headers[name] ?? '';
      expect(new Headers(headers).get(name)).toBe(sent);
      expect(Buffer.from(sent.slice('=?base64?'.length, -2), 'base64').toString()).toBe(value);
    },
  );

  it.each(['a b', 'a\r\nb', 'a:b', '', 'é'])('have no name %j that a server makes up', (header) => {
    expect(() => paramHeaders(schema(header))).toThrow('x-mcp-header');
  });

  it.each(['Authorization', 'Cookie', 'Host'])('never are the header %s itself', (header) => {
    const headers = headersOfCall(paramHeaders(schema(header)), { a: 'x' });
    expect(headers).toEqual({ [`Mcp-Param-${header}`]: 'x' });
  });
});
