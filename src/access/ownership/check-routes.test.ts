import { describe, expect, it } from '@jest/globals';
import { checkRoutes } from './owners.js';

describe('checkRoutes', () => {
  it('names every route that was forgotten, and says what to do', () => {
    const routes = [
      { name: 'A.get', isDeclared: true },
      { name: 'A.post', isDeclared: false },
      { name: 'B.list', isDeclared: false },
    ];
    expect(() => checkRoutes(routes)).toThrow(/A\.post, B\.list\. .*@Owned/);
    expect(() => checkRoutes(routes.slice(0, 1))).not.toThrow();
  });
});
