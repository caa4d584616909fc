import { describe, expect, it } from '@jest/globals';
import { RouteTable } from './route-table.js';

const table = new RouteTable([
  { method: 'GET', pattern: '/health' },
  { method: 'GET', pattern: '/api/keys' },
  { method: 'POST', pattern: '/api/keys' },
  { method: 'DELETE', pattern: '/api/keys/:id' },
  { method: 'GET', pattern: '/admin/queues/*path' },
  { method: 'GET', pattern: '/a.b' },
  { method: 'GET', pattern: '/things/:id' },
  { method: 'GET', pattern: '/things/first' },
  { method: 'POST', pattern: '/things/first' },
]);

describe('RouteTable', () => {
  it.each<[string, string[]]>([
    ['/health', ['GET', 'HEAD', 'OPTIONS']],
    ['/Health/', ['GET', 'HEAD', 'OPTIONS']],
    ['/api/keys', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['/api/keys/a%00b', ['DELETE', 'OPTIONS']],
    ['/admin/queues/static/app.js', ['GET', 'HEAD', 'OPTIONS']],
    ['/api/keys/a/b', []],
    ['/api/keys/', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['/admin/queues', []],
    ['/aXb', []],
    ['/', []],
  ])('lists the methods of %s', (path, methods) => {
    expect(table.methodsOf(path)).toEqual(methods);
  });

  it.each<[string, string, string | undefined]>([
    ['DELETE', '/api/keys/k1', '/api/keys/:id'],
    ['HEAD', '/health', '/health'],
    ['PUT', '/api/keys', undefined],
    ['GET', '/none', undefined],
    ['GET', '/Health/', '/health'],
    ['GET', '/things/first', '/things/:id'],
    ['POST', '/things/first', '/things/first'],
    ['DELETE', '/things/first', undefined],
  ])('names the route of %s %s', (method, path, pattern) => {
    expect(table.patternOf(method, path)).toBe(pattern);
  });
});
